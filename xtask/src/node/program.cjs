const { score } = require("rightcall"); const { default: judge } = require("rightcall/promptfoo");
const actual = [{ name: "find" }], expected = ["find"];
score([{ expected, actual }], ["trajectory"]).then(({ totals }) =>
  console.log(judge(actual, { config: { expected } }).score, totals.evaluators[0].mean));
