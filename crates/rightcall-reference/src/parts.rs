//! The parts that templates of cases share.

/// The template of a part.
///
/// # Panics
/// There is no part of this name.
pub(crate) fn part(name: &str) -> &'static str {
    let mut parts = PARTS.iter();
    let found = parts.find(|(own, _)| *own == name);
    found.unwrap_or_else(|| panic!("no part {name}")).1
}

/// Values first, then the shapes of single originals, then rightcall's own cases.
#[rustfmt::skip]
const PARTS: &[(&str, &str)] = &[
    ("flag", "true|false"),
    // Mostly the first two, so that calls match.
    ("name", r#"2:("a"|"b")|("a"|"b"|"A"|"a b"|"a_b"|""|"é"|"\ud83d"|"0")"#),
    ("key", r#"3:("a"|"b")|("a"|"b"|"c"|"__proto__"|"0"|"content"|"\ud83d"|"\ue000")"#),
    ("value", "5:(1|2|1.0|true)|$odd_value|[*2($value)]|$object"),
    ("odd_value", r#"1|2|1.0|true|null|"x"|"1"|0|-0.0|false|""|[]|{}|[1]|[1.0]|["x"]|{"0":"x"}|"xy"|["x","y"]|{"a":1}|{"a":1,"a":true}
        |9007199254740993|9007199254740992.0|9007199254740992|10000000000000000000000|1e22|1e400
        |"\ud83d"|"\ud83d\ude42"|"abcd"|"abxd"|-1|{"a":null}|[null]|0.1"#),
    // Sometimes with repeated keys.
    ("object", "{*3($key:$value)}"),
    ("names", "[*6((31:$name|$value))]"),
    ("call", r#"39:{"name":$name(3:,"args":(9:$object|$value)|)(3:|,"output":$value)}|$value"#),
    ("named_call", r#"{"name":$name,"args":(59:$object|$value)}"#),

    ("adk_invocation", r#"15:{"intermediate_data":{"tool_uses":[*4({(15:,"name":$name|)
        (9:,"args":(11:$object|(null|{}|[]))|)})]}}|{"intermediate_data":null}"#),
    ("axion_calls", r#"19:[*5({"name":$name,"args":(59:$object|$value)(39:|(,"id":"x"|,"tags":[]|,"other":1))})]
        |(null|{}|[null]|[{"name":"a"}]|[{"args":{}}])"#),
    ("azure_name", r#"5:$name|(" a"|" b")"#),
    ("azure_part", r#"6:{"type":"tool_call","name":$azure_name(7:,"arguments":(5:$object|~($object)|$value)|)}
        |({"type":"text","text":"x"}|{"type":"tool_call"})"#),
    ("bfcl_scalar", r#"2:"x y"|1|2|1.5|true|"A'b""#),
    ("bfcl_dict", r#"{"a":[1],"b":["x",""]}|{"a":[1]}|null|"x y""#),
    ("bfcl_list", r#"["x","y"]|[1,2]|[{"a":[1]}]|[{"a":[1],"b":["y"]}]|[1.0]|[]|1"#),
    ("bfcl_odd", r#""X.Y"|"xy"|1|1.0|"1"|"1L"|"1.5f"|"1n"|"true"|["X"]|{"a":1}|[{"a":1}]|[]|"a\"B""#),
    ("bfcl_required", r#"[]|2:["a"]|["b","a"]"#),
    ("bfcl_answer", r#"{"a":[@a($bfcl_scalar)(|,$bfcl_scalar)(2:|,"")],"b":[@b($bfcl_scalar)(|,$bfcl_scalar)(2:|,"")]}"#),
    ("bfcl_arguments", r#"{(3:,"a":(3:$a|$bfcl_odd)|)(3:,"b":(3:$b|$bfcl_odd)|)}"#),
    // A literal as a text, sometimes with the suffix of its type.
    ("bfcl_texts", r#"{(3:,"a":(3:(~($a(3:|L|f|n))|$a)|$bfcl_odd)|)(3:,"b":(3:(~($b(3:|L|f|n))|$b)|$bfcl_odd)|)}"#),
    ("bfcl_scalars", r#""parameters":{"properties":{"a":{"type":"$bfcl_type"},"b":{"type":"$bfcl_type"}},"required":$bfcl_required}"#),
    ("bfcl_type", "2:string|integer|float|boolean|any|none"),
    ("bfcl_java", r#"{"ground_truth":[{"f":$bfcl_answer}],"function":[{"name":"f","parameters":{"properties":
        {"a":{"type":"$bfcl_java_type"},"b":{"type":"$bfcl_java_type"}},"required":$bfcl_required}}]}"#),
    ("bfcl_java_type", "2:String|integer|long|double|float|boolean|char|any|Queue"),
    ("bfcl_javascript", r#"{"ground_truth":[{"f":$bfcl_answer}],"function":[{"name":"f","parameters":{"properties":
        {"a":{"type":"$bfcl_javascript_type"},"b":{"type":"$bfcl_javascript_type"}},"required":$bfcl_required}}]}"#),
    ("bfcl_javascript_type", "2:String|integer|float|Bigint|Boolean|any|none"),
    ("deepeval_call", r#"{"name":$name(5:,"(input_parameters|inputParameters)":(11:$object|null)|)(2:|,"output":$value)
        (5:|,"type":(2:"MCP"|"FUNCTION"|"x"))}"#),
    ("evalite_calls", r#"23:[*5((23:{(15:,"toolName":(15:$name|$evalite_name)|)(9:,"input":(5:$object|$value)|)}|$value))]
        |(null|[]|[null])"#),
    // A list, an object or an infinite number as a name is in the golden cases.
    ("evalite_name", r#"1|1.0|true|null|0|-0.0|false|"1"|9007199254740993|9007199254740992"#),
    ("weight", "0|1|0.3|null|true|-1|1e400"),
    ("mastra_ordering", r#""strict"|"relaxed"|"unordered""#),
    ("message_list", r#"7:[*3($message)]|{"messages":[*3($message)]}"#),
    ("message", r#"32:{"role":"(3:assistant|ai)","content":""(7:,"tool_calls":[*4(($named_call
        |{"function":{"name":$name,"arguments":~(59:$object|$value)}}))]|)}|16:{"role":"(user|tool)","content":"x"}|{"role":"nobody","content":"x"}"#),
    ("mlflow_call", r#"{"name":$name(47:,"arguments":(4:({}|{"a":1}|{"a":1.0}|{"a":2})|7:$object|(null|{}|[]|1|0|"x"|""))|)}"#),
    ("pattern", r#""a"|"b"|"A"|"*"|"?"|"a*"|"*b"|"a?b"|"É"|"??"|"shell"|"""#),
    ("ragas_reference", r#"{"reference_tool_calls":(23:[*5($named_call)]|null)}"#),
    ("ragas_message", r#"3:{"type":"ai","content":""(9:,"tool_calls":[*3($named_call)]|(|,"tool_calls":null))}|2:{"type":"(human|tool)","content":""}"#),
    ("tpmjs_calls", r#"23:[*5((23:{(15:,"tool":(15:$name|$value)|)(9:,"args":(5:$object|$value)|)}|$value))]|(null|[]|[null])"#),
    ("uipath_settings", r#""strict":$flag(7:|,"strict":$uipath_flag)(15:|,"subset":$uipath_flag)(15:|,"name":$value)"#),
    ("uipath_flag", r#"true|false|1|0.0|"Yes"|"oFF"|" 1"|""|null|2|[]"#),
    ("uipath_counts", r#"{"(tool_calls_count|toolCallsCount)":{*4($name:[(39:("="|">="|"<="|">"|"<"|"=="|"!="|"~")|1),
        (7:(1|0|2|3)|$uipath_count)(63:|,1)])}}"#),
    ("uipath_count", r#"-1|1.0|1.5|true|null|" +1_0.0 "|"1"|"x"|"1."|"1__0"|"_1"|"-0"|""|"1e0"|"00"|1e400|99999999999999999999|[]"#),
    ("uipath_order", r#"{"(tool_calls_order|toolCallsOrder)":[*6((39:$name|$value))]}"#),
    ("uipath_args", r#"{"(tool_calls|toolCalls)":[*4({"name":$name,"args":(39:$object|$value)$uipath_id})]}"#),
    ("uipath_outputs", r#"{"(tool_outputs|toolOutputs)":[*4({"name":$name,"output":(39:$uipath_text|$value)$uipath_id})]}"#),
    ("uipath_id", r#"3:|,"id":("a"|"b"|null|""|"0"|1)"#),
    ("uipath_text", r#""x"|"1"|""|"None"|"True"|"[1]"|"{'a': 1}"|"\ud83d""#),
    ("uipath_span", r#"15:{"name":"s","start_time":0,"end_time":1,"attributes":{"tool.name":(5:$name
        |(""|null|12|true|1.0|[]|"12"|"  a  b "|"a!"|"工具"))(2:|,"tool.id":("a"|"b"|null|""|0|"0"|true|"True"|1.0))
        (9:|,"tool.synthesized":(true|false|"false"|0|null))(5:,"input.value":($uipath_input|~($uipath_input))|)
        (5:,"output.value":($uipath_output|~($uipath_output))|)}}|({}|{"attributes":null}|{"attributes":{}})"#),
    ("uipath_input", "2:$object|$value"),
    ("uipath_output", "2:$uipath_text|$value"),
    ("vertex_calls", r#"[*5({"tool_name":$name(23:,"tool_input":(6:$object|~($object)|$value)|)})]"#),

    ("canonical_case", r#"{"id":"a","expected":{(7:,"calls":[*6($expected_call)]|)(3:|,"order":[*4($tool)])
        (3:|,"outputs":[*4({"name":$tool,"output":$output})])(2:|,"counts":{(2:,"a":$count|)(,"b":$count|)(2:|,"c":$count)(2:|,"A":$count)})
        (2:|,"constraints":{(|$constraint)})}(23:,"actual":[*7($actual_call)]|)}"#),
    ("expected_call", r#"{"name":$tool(11:,"args":$arguments|)(3:,"output":$output|)(5:|,"compare_args":([]|["x"]|["x","y"])),"turn":(0|1)}"#),
    ("actual_call", r#"{"name":$tool(23:,"args":$arguments|)(15:,"output":$output|)(2:|,"group":"g(0|1|2)")(3:|,"error":"timeout"),"turn":(0|1)}"#),
    ("tool", r#"2:"a"|2:"b"|"c"|"A""#),
    ("output", r#""x"|"y""#),
    ("count", r#"["(=|>=|<=|>|<)",(0|1|2|3)]"#),
    // Often nearly the same.
    ("arguments", r#"$object|5:({}|{"x":1}|{"x":1,"y":2}|{"x":1,"y":3}|{"x":2,"y":2,"z":3}|{"x":null}|{"x":"abcd","y":"efgh"}
        |{"x":"abxd","y":"efgh"}|{"x":{"a":1,"b":2}}|{"x":{"a":1,"b":3,"c":4}}|{"x":1.0}|{"x":"1"})"#),
    ("constraint", r#""max_calls":3|"forbidden":["c"]|"required":["a"](|,"order":["a before b"])|"order":["a before b"](|,"max_repeats":0)
        |"max_repeats":0|"max_run_seconds":9|"counts":{"a":"1..2"}(|,"max_calls":3)"#),
    ("trajectory_align", r#""align":("assignment"|"position"|"first_fit"|"best_fit"|"multiset"|"distinct"|"once"|"lcs"|"subsequence"|"forward"
        |"first_occurrences"|"by_turn"|"free"),"score":("f1"|"recall"|"precision"|"weighted"|"all_or_nothing"|"covers_expected"|"covers_actual")"#),
];
