"""Mistakes that type checkers report: one on each line that ends in `# wrong`."""

import rightcall

rightcall.evaluate("trajectroy", expected=[], actual=[])  # wrong
rightcall.evaluate("trajectory", expected=[], actual=[], mode="strickt")  # wrong
rightcall.evaluate("trajectory", expected=[], actual=[], math={"args": "subset"})  # wrong
rightcall.evaluate("trajectory", expected=[], actual=[], match={"args": "sub"})  # wrong
rightcall.evaluate("trajectory", [], [])  # wrong
print(rightcall.evaluate("trajectory", expected=[], actual=[]).scores)  # wrong
rightcall.Evaluator("uipath/tool-call-count", strict="yes")  # wrong
rightcall.Evaluator("trajectory", edition="packaged")  # wrong
rightcall.score([], evaluators=7)  # wrong
rightcall.score([], evaluator="trajectory")  # wrong
