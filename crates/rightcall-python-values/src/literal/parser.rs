//! The grammar of Python expressions, as far as needed to distinguish invalid expressions from expressions that are not literals.

mod brackets;

use super::lexer::{Lexer, Piece, Result, Token, fail};
use super::node::Node;
use crate::text::TextBuilder;
use crate::value::{PythonValue, Value};

/// The recursion limit, brackets included. Literals need one level per bracket.
const MAX_DEPTH: usize = 400;

const KEYWORDS: [&str; 35] = [
    "False", "None", "True", "and", "as", "assert", "async", "await", "break", "class", "continue",
    "def", "del", "elif", "else", "except", "finally", "for", "from", "global", "if", "import",
    "in", "is", "lambda", "nonlocal", "not", "or", "pass", "raise", "return", "try", "while",
    "with", "yield",
];

/// Operator precedences that callers pass to [`Parser::binary`].
const DISJUNCTION: u8 = 1;
const NOT: u8 = 3;
const BITWISE: u8 = 5;

/// Parses one expression.
pub(super) struct Parser<'s> {
    lexer: Lexer<'s>,
    token: Token<'s>,
    /// Number of tokens read before the current one.
    count: usize,
    depth: usize,
}

impl<'s> Parser<'s> {
    /// A parser positioned before the first token.
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

    /// Parses the whole text.
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

    /// `expression`: a conditional or a lambda, parsed in a loop because both nest to the right.
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

    /// The parameters of a lambda, including the colon.
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

    /// The precedence of the current operator.
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

    /// Parses operands joined by operators with at least the precedence `least`.
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

    /// Parses signs, an operand, and its power.
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

    /// Joins adjacent string literals.
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
}
