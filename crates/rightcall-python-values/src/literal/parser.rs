//! The grammar of Python expressions, as far as needed to tell what is no expression from what is no literal.

use num_bigint::BigInt;

use super::Literal;
use super::lexer::{Lexer, Piece, Result, Token, complex, fail};
use crate::integer::Integer;
use crate::text::TextBuilder;
use crate::value::{PythonValue, Value};

/// More recursion than this, brackets included, fails; literals need one level for each bracket.
const MAX_DEPTH: usize = 400;

const KEYWORDS: [&str; 35] = [
    "False", "None", "True", "and", "as", "assert", "async", "await", "break", "class", "continue",
    "def", "del", "elif", "else", "except", "finally", "for", "from", "global", "if", "import",
    "in", "is", "lambda", "nonlocal", "not", "or", "pass", "raise", "return", "try", "while",
    "with", "yield",
];

/// Binding strengths of what a caller asks of [`Parser::binary`].
const DISJUNCTION: u8 = 1;
const NOT: u8 = 3;
const BITWISE: u8 = 5;

/// An expression as far as a literal needs it.
#[derive(Debug)]
pub(super) enum Node {
    /// A constant without sign.
    Constant(Literal),
    /// A number with a sign, or the sum of a real and an imaginary number.
    Computed(Literal),
    /// `(…, …)`.
    Tuple(Vec<Node>),
    /// `[…]`.
    List(Vec<Node>),
    /// `{…}`.
    Set(Vec<Node>),
    /// `{…: …}`.
    Dict(Vec<(Node, Node)>),
    /// `set()`.
    EmptySet,
    /// The name `set`.
    SetName,
    /// Another name, an attribute or a subscript: no literal, but assignable.
    Place,
    /// `*…`.
    Starred(bool),
    /// Any other expression.
    Forbidden,
}

impl Node {
    fn is_assignable(&self) -> bool {
        match self {
            Self::SetName | Self::Place => true,
            Self::Starred(assignable) => *assignable,
            Self::Tuple(items) | Self::List(items) => items.iter().all(Self::is_assignable),
            _ => false,
        }
    }

    fn signed(self, minus: bool) -> Self {
        let Self::Constant(value) = self else {
            return Self::Forbidden;
        };
        match value {
            Value::Integer(_) | Value::Float(_) if !minus => Self::Computed(value),
            Value::Integer(Integer::Small(small)) => {
                Self::Computed(Value::Integer((-BigInt::from(small)).into()))
            }
            Value::Integer(Integer::Big(big)) => Self::Computed(Value::Integer((-*big).into())),
            Value::Float(float) => Self::Computed(Value::Float(-float)),
            Value::Python(ref python) => match **python {
                PythonValue::Complex { real, imaginary } if minus => {
                    Self::Computed(complex(-real, -imaginary))
                }
                PythonValue::Complex { .. } => Self::Computed(value),
                _ => Self::Forbidden,
            },
            _ => Self::Forbidden,
        }
    }

    /// A real number and an imaginary one added or subtracted.
    fn sum(self, other: &Self, minus: bool) -> Self {
        let (Self::Constant(left) | Self::Computed(left), Self::Constant(Value::Python(python))) =
            (self, other)
        else {
            return Self::Forbidden;
        };
        let (Some(real), PythonValue::Complex { imaginary, .. }) = (left.as_f64(), &**python)
        else {
            return Self::Forbidden;
        };
        // Python converts an integer to a float here, which fails where it is too large.
        if matches!(left, Value::Integer(_)) && real.is_infinite() {
            return Self::Forbidden;
        }
        Self::Computed(if minus {
            complex(real - 0.0, 0.0 - imaginary)
        } else {
            complex(real + 0.0, 0.0 + imaginary)
        })
    }
}

/// Reads one expression.
pub(super) struct Parser<'s> {
    lexer: Lexer<'s>,
    token: Token<'s>,
    /// Tokens read before the current one.
    count: usize,
    depth: usize,
}

impl<'s> Parser<'s> {
    /// A parser before the first token.
    pub(super) fn new(source: &'s str) -> Result<Self> {
        let mut lexer = Lexer::new(source)?;
        let token = lexer.next()?;
        Ok(Self {
            lexer,
            token,
            count: 0,
            depth: 0,
        })
    }

    /// The whole text.
    pub(super) fn top(&mut self) -> Result<Node> {
        let mut node = self.expression()?;
        if self.is(",") {
            let mut items = vec![node];
            while self.take(",")? && !matches!(self.token, Token::End) {
                items.push(self.expression()?);
            }
            node = Node::Tuple(items);
        }
        if matches!(self.token, Token::End) {
            Ok(node)
        } else {
            fail()
        }
    }

    fn advance(&mut self) -> Result<Token<'s>> {
        self.count += 1;
        Ok(std::mem::replace(&mut self.token, self.lexer.next()?))
    }

    fn is(&self, operator: &str) -> bool {
        matches!(self.token, Token::Operator(it) if it == operator)
    }

    fn is_word(&self, word: &str) -> bool {
        matches!(self.token, Token::Name(it) if it == word)
    }

    fn is_identifier(&self) -> bool {
        matches!(self.token, Token::Name(it) if !KEYWORDS.contains(&it))
    }

    fn take(&mut self, operator: &str) -> Result<bool> {
        let found = self.is(operator);
        if found {
            self.advance()?;
        }
        Ok(found)
    }

    fn take_word(&mut self, word: &str) -> Result<bool> {
        let found = self.is_word(word);
        if found {
            self.advance()?;
        }
        Ok(found)
    }

    fn expect(&mut self, operator: &str) -> Result<()> {
        if self.take(operator)? { Ok(()) } else { fail() }
    }

    fn expect_word(&mut self, word: &str) -> Result<()> {
        if self.take_word(word)? {
            Ok(())
        } else {
            fail()
        }
    }

    fn identifier(&mut self) -> Result<()> {
        if self.is_identifier() {
            self.advance().map(drop)
        } else {
            fail()
        }
    }

    /// `expression`: conditional or lambda, both in loops because they nest to the right.
    fn expression(&mut self) -> Result<Node> {
        let mut is_forbidden = false;
        loop {
            if self.take_word("lambda")? {
                self.parameters()?;
                is_forbidden = true;
                continue;
            }
            let node = self.binary(DISJUNCTION)?;
            if !self.take_word("if")? {
                return Ok(if is_forbidden { Node::Forbidden } else { node });
            }
            self.binary(DISJUNCTION)?;
            self.expect_word("else")?;
            is_forbidden = true;
        }
    }

    /// The parameters of a lambda with the colon.
    fn parameters(&mut self) -> Result<()> {
        let (mut names, mut slashed, mut starred, mut bare_star, mut defaults) =
            (0_usize, false, false, false, false);
        loop {
            if self.take(":")? {
                return if bare_star { fail() } else { Ok(()) };
            }
            if self.take("**")? {
                self.identifier()?;
                self.take(",")?;
                self.expect(":")?;
                return if bare_star { fail() } else { Ok(()) };
            }
            if self.take("*")? {
                if std::mem::replace(&mut starred, true) {
                    return fail();
                }
                if self.is_identifier() {
                    self.advance()?;
                } else {
                    bare_star = true;
                }
            } else if self.take("/")? {
                if std::mem::replace(&mut slashed, true) || starred || names == 0 {
                    return fail();
                }
            } else {
                self.identifier()?;
                names += 1;
                bare_star = false;
                if self.take("=")? {
                    self.expression()?;
                    defaults = true;
                } else if defaults && !starred {
                    return fail();
                }
            }
            if !self.is(":") {
                self.expect(",")?;
            }
        }
    }

    /// The strength of the operator at hand.
    fn strength(&self) -> Option<u8> {
        Some(match self.token {
            Token::Name("or") => 1,
            Token::Name("and") => 2,
            Token::Name("in" | "is" | "not") => 4,
            Token::Operator(operator) => match operator {
                "<" | ">" | "==" | ">=" | "<=" | "!=" => 4,
                "|" => BITWISE,
                "^" => 6,
                "&" => 7,
                "<<" | ">>" => 8,
                "+" | "-" => 9,
                "*" | "/" | "//" | "%" | "@" => 10,
                _ => return None,
            },
            _ => return None,
        })
    }

    /// Operands joined by operators that bind at least as strongly as `least`.
    fn binary(&mut self, least: u8) -> Result<Node> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return fail();
        }
        let mut left = if self.is_word("not") {
            if least > NOT {
                return fail();
            }
            while self.take_word("not")? {}
            self.binary(NOT + 1)?;
            Node::Forbidden
        } else {
            self.factor()?
        };
        while let Some(strength) = self.strength().filter(|strength| *strength >= least) {
            let operator = self.advance()?;
            match operator {
                Token::Name("not") => self.expect_word("in")?,
                Token::Name("is") => drop(self.take_word("not")?),
                _ => {}
            }
            let right = if strength < NOT && self.is_word("not") {
                self.binary(NOT)?
            } else {
                self.binary(strength + 1)?
            };
            left = match operator {
                Token::Operator("+") => left.sum(&right, false),
                Token::Operator("-") => left.sum(&right, true),
                _ => Node::Forbidden,
            };
        }
        self.depth -= 1;
        Ok(left)
    }

    /// Signs, an operand, and its power.
    fn factor(&mut self) -> Result<Node> {
        let mut is_power = false;
        loop {
            let (mut signs, mut minus) = (0_usize, false);
            while self.is("+") || self.is("-") || self.is("~") {
                minus = self.is("-");
                signs += if self.is("~") { 2 } else { 1 };
                self.advance()?;
            }
            let operand = self.primary()?;
            if self.take("**")? {
                is_power = true;
                continue;
            }
            return Ok(match signs {
                _ if is_power => Node::Forbidden,
                0 => operand,
                1 => operand.signed(minus),
                _ => Node::Forbidden,
            });
        }
    }

    fn primary(&mut self) -> Result<Node> {
        let awaited = self.take_word("await")?;
        let mut node = self.atom()?;
        loop {
            node = if self.take(".")? {
                self.identifier()?;
                Node::Place
            } else if self.take("(")? {
                let is_empty = self.is(")");
                self.arguments()?;
                if is_empty && matches!(node, Node::SetName) {
                    Node::EmptySet
                } else {
                    Node::Forbidden
                }
            } else if self.take("[")? {
                self.subscripts()?;
                Node::Place
            } else {
                return Ok(if awaited { Node::Forbidden } else { node });
            }
        }
    }

    fn atom(&mut self) -> Result<Node> {
        match self.advance()? {
            Token::Number(number) => Ok(Node::Constant(number)),
            Token::Piece(piece) => self.strings(piece),
            Token::Name("None") => Ok(Node::Constant(Value::Null)),
            Token::Name("True") => Ok(Node::Constant(Value::Bool(true))),
            Token::Name("False") => Ok(Node::Constant(Value::Bool(false))),
            Token::Name("set") => Ok(Node::SetName),
            Token::Name(name) if !KEYWORDS.contains(&name) => Ok(Node::Place),
            Token::Operator("...") => Ok(Node::Constant(Value::Python(Box::new(
                PythonValue::Ellipsis,
            )))),
            Token::Operator("(") => self.group(),
            Token::Operator("[") => {
                let (items, is_comprehension, _) = self.items("]")?;
                Ok(if is_comprehension {
                    Node::Forbidden
                } else {
                    Node::List(items)
                })
            }
            Token::Operator("{") => self.dict_or_set(),
            _ => fail(),
        }
    }

    /// Neighbouring string literals joined.
    fn strings(&mut self, first: Piece) -> Result<Node> {
        let (mut text, mut bytes, mut is_format, is_bytes) = (
            TextBuilder::default(),
            Vec::new(),
            false,
            matches!(first, Piece::Bytes(_)),
        );
        let mut piece = first;
        loop {
            match piece {
                Piece::Text(more) if !is_bytes => text.push_text(&more),
                Piece::Bytes(more) if is_bytes => bytes.extend_from_slice(&more),
                Piece::Format if !is_bytes => is_format = true,
                _ => return fail(),
            }
            if !matches!(self.token, Token::Piece(_)) {
                break;
            }
            let Token::Piece(next) = self.advance()? else {
                return fail();
            };
            piece = next;
        }
        Ok(match (is_format, is_bytes) {
            (true, _) => Node::Forbidden,
            (_, true) => Node::Constant(Value::Python(Box::new(PythonValue::Bytes(bytes)))),
            _ => Node::Constant(Value::String(text.finish())),
        })
    }

    /// `*x`, `x := y` or an expression; true if it is a plain expression.
    fn element(&mut self) -> Result<(Node, bool)> {
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

    /// Elements up to `close`, which is taken; whether they are a comprehension; whether they end in a comma.
    fn items(&mut self, close: &str) -> Result<(Vec<Node>, bool, bool)> {
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

    /// What stands in parentheses.
    fn group(&mut self) -> Result<Node> {
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

    /// What a `yield` gives, with the closing parenthesis; no names are assigned there.
    fn yielded(&mut self) -> Result<()> {
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

    fn dict_or_set(&mut self) -> Result<Node> {
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

    /// The clauses of a comprehension over `element`; false if there are none.
    fn comprehension(&mut self, element: &Node) -> Result<bool> {
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

    /// The arguments of a call with the closing parenthesis.
    fn arguments(&mut self) -> Result<()> {
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

    /// What stands in the brackets of a subscript, with the closing one.
    fn subscripts(&mut self) -> Result<()> {
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
