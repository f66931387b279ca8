import { evaluate } from "rightcall"; import { toolCallAccuracy } from "rightcall/evalite";
const actualCalls = [{ toolName: "find" }];
const { score } = await toolCallAccuracy({ actualCalls, expectedCalls: actualCalls });
console.log(score, evaluate("trajectory", { expected: ["find"], actual: [{ name: "find" }] }).score);
