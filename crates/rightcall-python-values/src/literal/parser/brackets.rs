//! Parses the contents of brackets.

use super::super::lexer::{Result, fail};
use super::super::node::Node;
use super::{BITWISE, DISJUNCTION, Parser};

impl Parser<'_> {
    /// Parses `*x`, `x := y` or an expression; true for a plain expression.
    pub(super) fn element(&mut self) -> Result<(Node, bool)> {
        if self.take("*")? {
            let node = self.binary(BITWISE)?;
            return Ok((Node::Starred(node.is_assignable()), false));
        }
        let (could_be_named, start) = (self.is_identifier(), self.count);
        let node = self.expression()?;
        if could_be_named && self.count == start + 1 && self.take(":=")? {
            self.expression()?;
            return Ok((Node::Forbidden, false));
        }
        Ok((node, true))
    }

    /// Parses elements up to and including `close`. Also returns whether they are a comprehension, and whether they end in a comma.
    pub(super) fn items(&mut self, close: &str) -> Result<(Vec<Node>, bool, bool)> {
        let mut items = Vec::new();
        let mut comma = true;
        while !self.take(close)? {
            if !comma {
                return fail();
            }
            items.push(self.element()?.0);
            if items.len() == 1 && self.comprehension(&items[0])? {
                self.expect(close)?;
                return Ok((items, true, false));
            }
            comma = self.take(",")?;
        }
        Ok((items, false, comma))
    }

    /// Parses the contents of parentheses.
    pub(super) fn group(&mut self) -> Result<Node> {
        if self.take_word("yield")? {
            if self.take_word("from")? {
                self.expression()?;
                self.expect(")")?;
            } else {
                self.yielded()?;
            }
            return Ok(Node::Forbidden);
        }
        let (mut items, is_comprehension, comma) = self.items(")")?;
        if is_comprehension {
            return Ok(Node::Forbidden);
        }
        if comma {
            return Ok(Node::Tuple(items));
        }
        match items.pop() {
            Some(node) if items.is_empty() && !matches!(node, Node::Starred(_)) => Ok(node),
            Some(last) if !items.is_empty() => {
                items.push(last);
                Ok(Node::Tuple(items))
            }
            _ => fail(),
        }
    }

    /// Parses the operand of a `yield`, including the closing parenthesis. Assignment expressions are not allowed there.
    pub(super) fn yielded(&mut self) -> Result<()> {
        let (mut first, mut comma) = (true, true);
        while !self.take(")")? {
            if !comma {
                return fail();
            }
            if self.take("*")? {
                self.binary(BITWISE)?;
            } else {
                self.expression()?;
            }
            comma = self.take(",")?;
            if first && !comma && !self.is(")") {
                return fail();
            }
            first = false;
        }
        Ok(())
    }

    pub(super) fn dict_or_set(&mut self) -> Result<Node> {
        if self.take("}")? {
            return Ok(Node::Dict(Vec::new()));
        }
        let mut entries = Vec::new();
        if !self.is("**") {
            let (first, is_plain) = self.element()?;
            if !self.is(":") {
                if self.comprehension(&first)? {
                    self.expect("}")?;
                    return Ok(Node::Forbidden);
                }
                let mut items = vec![first];
                if self.take(",")? {
                    let (more, is_comprehension, _) = self.items("}")?;
                    if is_comprehension {
                        return fail();
                    }
                    items.extend(more);
                } else {
                    self.expect("}")?;
                }
                return Ok(Node::Set(items));
            }
            if !is_plain {
                return fail();
            }
            self.expect(":")?;
            let value = self.expression()?;
            entries.push((first, value));
            if self.comprehension(&Node::Forbidden)? {
                self.expect("}")?;
                return Ok(Node::Forbidden);
            }
            if !self.take(",")? {
                self.expect("}")?;
                return Ok(Node::Dict(entries));
            }
        }
        let mut comma = true;
        while !self.take("}")? {
            if !comma {
                return fail();
            }
            if self.take("**")? {
                self.binary(BITWISE)?;
                entries.push((Node::Forbidden, Node::Forbidden));
            } else {
                let key = self.expression()?;
                self.expect(":")?;
                entries.push((key, self.expression()?));
            }
            comma = self.take(",")?;
        }
        Ok(Node::Dict(entries))
    }

    /// Parses the clauses of a comprehension over `element`; false if there are none.
    pub(super) fn comprehension(&mut self, element: &Node) -> Result<bool> {
        if !self.is_word("for") && !self.is_word("async") {
            return Ok(false);
        }
        if matches!(element, Node::Starred(_)) {
            return fail();
        }
        while self.is_word("for") || self.is_word("async") {
            self.take_word("async")?;
            self.expect_word("for")?;
            let mut targets = 0_usize;
            let mut comma = true;
            while !self.is_word("in") {
                if !comma {
                    return fail();
                }
                let starred = self.take("*")?;
                if !self.binary(BITWISE)?.is_assignable() {
                    return fail();
                }
                targets += 1;
                comma = self.take(",")?;
                if starred && targets == 1 && !comma {
                    return fail();
                }
            }
            if targets == 0 {
                return fail();
            }
            self.expect_word("in")?;
            self.binary(DISJUNCTION)?;
            while self.take_word("if")? {
                self.binary(DISJUNCTION)?;
            }
        }
        Ok(true)
    }

    /// Parses the arguments of a call, including the closing parenthesis.
    pub(super) fn arguments(&mut self) -> Result<()> {
        let (mut count, mut comma, mut keywords, mut unpacked) = (0_usize, true, false, false);
        while !self.take(")")? {
            if !comma {
                return fail();
            }
            if self.take("**")? {
                self.expression()?;
                unpacked = true;
            } else if self.take("*")? {
                self.expression()?;
                if unpacked {
                    return fail();
                }
            } else {
                let (could_be_named, start) = (self.is_identifier(), self.count);
                let (node, is_plain) = self.element()?;
                if is_plain && could_be_named && self.count == start + 1 && self.take("=")? {
                    self.expression()?;
                    keywords = true;
                } else if keywords || unpacked {
                    return fail();
                } else if self.comprehension(&node)? {
                    self.expect(")")?;
                    return if count == 0 { Ok(()) } else { fail() };
                }
            }
            count += 1;
            comma = self.take(",")?;
        }
        Ok(())
    }

    /// Parses a subscript, including the closing bracket.
    pub(super) fn subscripts(&mut self) -> Result<()> {
        let mut comma = true;
        if self.is("]") {
            return fail();
        }
        while !self.take("]")? {
            if !comma {
                return fail();
            }
            let mut is_slice_start = true;
            if !self.is(":") {
                is_slice_start = self.element()?.1;
            }
            for _ in 0..2 {
                if !self.is(":") {
                    break;
                }
                if !is_slice_start {
                    return fail();
                }
                self.advance()?;
                if !self.is(":") && !self.is(",") && !self.is("]") {
                    self.expression()?;
                }
            }
            comma = self.take(",")?;
        }
        Ok(())
    }
}
