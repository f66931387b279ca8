//! Parses the expressions that models write in calls: the subset of Python that the leaderboard's decoder supports.

/// An expression.
#[derive(Clone, Debug)]
pub(super) enum Expression<'t> {
    /// A number or a string, as source.
    Literal(&'t str),
    Name(&'t str),
    Ellipsis,
    List(Vec<Self>),
    Tuple(Vec<Self>),
    Dict(Vec<(Self, Self)>),
    /// `not` or a sign, with its operand.
    Unary(&'static str, Box<Self>),
    Binary(Box<Self>, &'static str, Box<Self>),
    Attribute(Box<Self>, &'t str),
    Subscript(Box<Self>, Box<Self>),
    /// Start, end and step of a subscript, all optional.
    Slice([Option<Box<Self>>; 3]),
    Call(Box<Self>, Vec<Argument<'t>>),
}

/// An argument of a call, and its value.
pub(super) type Argument<'t> = (Name<'t>, Expression<'t>);

/// The syntax of an argument.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Name<'t> {
    Positional,
    /// `*values`.
    Starred,
    Keyword(&'t str),
    /// `**values`.
    Unpacked,
}

/// The maximum nesting depth of expressions.
const MAX_DEPTH: usize = 64;

/// Limits on operands and trailers, because each one nests all before it: the first few of an expression are free, the rest count towards
/// the total.
const FREE_LINKS: usize = 4;
const MAX_LINKS: usize = 200;

/// Binary operators, by line in order of precedence, lowest first.
pub(super) const OPERATORS: [&[&str]; 6] = [
    &["|"],
    &["^"],
    &["&"],
    &["<<", ">>"],
    &["+", "-"],
    &["//", "*", "/", "%"],
];
pub(super) const POWER: &str = "**";
pub(super) const NOT: &str = "not";

/// Words that cannot be names.
const KEYWORDS: [&str; 8] = ["not", "lambda", "if", "else", "for", "in", "and", "or"];

/// One expression; `None` for other text, or for an expression that the decoder doesn't support.
pub(super) fn parse(text: &str) -> Option<Expression<'_>> {
    let mut parser = Parser::new(text);
    let expression = parser.expression()?;
    parser.skip();
    parser.rest.is_empty().then_some(expression)
}

/// Several expressions, each ending with a semicolon that is optional for the last one. `None` if there is no semicolon.
pub(super) fn statements(text: &str) -> Option<Vec<Expression<'_>>> {
    let mut parser = Parser::new(text);
    let (mut statements, mut ends) = (Vec::new(), 0);
    loop {
        parser.skip();
        if parser.rest.is_empty() {
            return (ends > 0).then_some(statements);
        }
        if statements.len() > ends {
            return None;
        }
        statements.push(parser.expression()?);
        ends += usize::from(parser.takes(";"));
    }
}

struct Parser<'t> {
    rest: &'t str,
    depth: usize,
    links: usize,
}

impl<'t> Parser<'t> {
    fn new(text: &'t str) -> Self {
        Self {
            rest: text,
            depth: 0,
            links: 0,
        }
    }

    /// Skips comments and Python's white space, which is ASCII only.
    fn skip(&mut self) {
        loop {
            self.rest = self
                .rest
                .trim_start_matches([' ', '\t', '\n', '\r', '\x0c']);
            if let Some(continued) = self.rest.strip_prefix("\\\n") {
                self.rest = continued;
            } else if self.rest.starts_with('#') {
                self.rest = &self.rest[self.rest.find('\n').unwrap_or(self.rest.len())..];
            } else {
                return;
            }
        }
    }

    /// Consumes this text if it comes next.
    fn takes(&mut self, text: &str) -> bool {
        self.skip();
        match self.rest.strip_prefix(text) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    /// Counts an operand or trailer; `None` above the limit.
    fn link(&mut self, before: &mut usize) -> Option<()> {
        self.links += usize::from(*before >= FREE_LINKS);
        *before += 1;
        (self.links <= MAX_LINKS).then_some(())
    }

    /// Parses one level deeper.
    fn nested(&mut self, read: fn(&mut Self) -> Option<Expression<'t>>) -> Option<Expression<'t>> {
        self.depth += 1;
        let found = if self.depth > MAX_DEPTH {
            None
        } else {
            read(self)
        };
        self.depth -= 1;
        found
    }

    fn expression(&mut self) -> Option<Expression<'t>> {
        self.nested(|parser| {
            if !parser.takes_word(NOT) {
                return parser.sum(0);
            }
            let operand = parser.expression()?;
            Some(Expression::Unary(NOT, Box::new(operand)))
        })
    }

    /// Consumes this word if it comes next.
    fn takes_word(&mut self, word: &str) -> bool {
        self.skip();
        let before = self.rest;
        let found = self.name() == Some(word);
        if !found {
            self.rest = before;
        }
        found
    }

    /// Operands joined by operators of this precedence or higher.
    fn sum(&mut self, line: usize) -> Option<Expression<'t>> {
        let Some(operators) = OPERATORS.get(line) else {
            return self.unary();
        };
        let mut left = self.sum(line + 1)?;
        let mut links = 0;
        loop {
            self.link(&mut links)?;
            self.skip();
            let operator = operators.iter().find(|it| self.rest.starts_with(**it));
            let Some(operator) = operator.filter(|_| !self.rest.starts_with(POWER)) else {
                return Some(left);
            };
            self.rest = &self.rest[operator.len()..];
            left = Expression::Binary(Box::new(left), operator, Box::new(self.sum(line + 1)?));
        }
    }

    fn unary(&mut self) -> Option<Expression<'t>> {
        match ["-", "+", "~"].into_iter().find(|sign| self.takes(sign)) {
            Some(sign) => self
                .nested(Self::unary)
                .map(|operand| Expression::Unary(sign, Box::new(operand))),
            None => self.power(),
        }
    }

    fn power(&mut self) -> Option<Expression<'t>> {
        let base = self.primary()?;
        if self.takes(POWER) {
            return Some(Expression::Binary(
                Box::new(base),
                POWER,
                Box::new(self.nested(Self::unary)?),
            ));
        }
        Some(base)
    }

    /// An atom with its trailers: attributes, subscripts, arguments.
    fn primary(&mut self) -> Option<Expression<'t>> {
        let mut found = self.atom()?;
        let mut links = 0;
        loop {
            self.link(&mut links)?;
            if self.takes("(") {
                found = Expression::Call(Box::new(found), self.arguments()?);
            } else if self.takes("[") {
                let (mut items, has_comma) = self.items_of("]", Self::slice)?;
                let index = if has_comma {
                    Expression::Tuple(items)
                } else {
                    items.pop()?
                };
                found = Expression::Subscript(Box::new(found), Box::new(index));
            } else if !self.rest.starts_with("..") && self.takes(".") {
                self.skip();
                found = Expression::Attribute(Box::new(found), self.name()?);
            } else {
                return Some(found);
            }
        }
    }

    /// One item between the brackets or commas of a subscript.
    fn slice(&mut self) -> Option<Expression<'t>> {
        let mut parts = [None, None, None];
        let mut colons = 0;
        loop {
            self.skip();
            if !self.rest.starts_with([':', ',', ']']) {
                parts[colons] = Some(Box::new(self.expression()?));
            }
            if colons == 2 || !self.takes(":") {
                break;
            }
            colons += 1;
        }
        match parts {
            [only, None, None] if colons == 0 => only.map(|only| *only),
            parts => Some(Expression::Slice(parts)),
        }
    }

    fn name(&mut self) -> Option<&'t str> {
        let length = self
            .rest
            .find(|letter: char| !letter.is_alphanumeric() && letter != '_')
            .unwrap_or(self.rest.len());
        let (name, rest) = self.rest.split_at(length);
        let is_name = name.chars().next().is_some_and(|first| !first.is_numeric());
        is_name.then(|| {
            self.rest = rest;
            name
        })
    }

    fn atom(&mut self) -> Option<Expression<'t>> {
        self.skip();
        if self.takes("...") {
            return Some(Expression::Ellipsis);
        }
        if self.takes("[") {
            return self.items("]").map(|(items, _)| Expression::List(items));
        }
        if self.takes("(") {
            let (mut items, has_comma) = self.items(")")?;
            return if has_comma || items.is_empty() {
                Some(Expression::Tuple(items))
            } else {
                items.pop()
            };
        }
        if self.takes("{") {
            return self.dict();
        }
        if let Some(length) = string_length(self.rest) {
            return self.strings(length);
        }
        let first = self.rest.bytes().next()?;
        let second = self.rest.as_bytes().get(1).copied().unwrap_or_default();
        if first.is_ascii_digit() || first == b'.' && second.is_ascii_digit() {
            return Some(Expression::Literal(self.number()));
        }
        self.name()
            .filter(|name| !KEYWORDS.contains(name))
            .map(Expression::Name)
    }

    fn number(&mut self) -> &'t str {
        let bytes = self.rest.as_bytes();
        let is_hex = bytes.len() > 1 && bytes[0] == b'0' && bytes[1].is_ascii_alphabetic();
        let mut length = 0;
        while let Some(&byte) = bytes.get(length) {
            let is_sign = matches!(byte, b'+' | b'-')
                && !is_hex
                && length > 0
                && matches!(bytes[length - 1], b'e' | b'E');
            if !byte.is_ascii_alphanumeric() && !matches!(byte, b'.' | b'_') && !is_sign {
                break;
            }
            length += 1;
        }
        let (number, rest) = self.rest.split_at(length);
        self.rest = rest;
        number
    }

    /// A string literal, joined with those that follow it directly.
    fn strings(&mut self, mut length: usize) -> Option<Expression<'t>> {
        let from = self.rest;
        loop {
            self.rest = self.rest.get(length..)?;
            let end = from.len() - self.rest.len();
            self.skip();
            match string_length(self.rest) {
                Some(next) => length = next,
                None => return Some(Expression::Literal(&from[..end])),
            }
        }
    }

    /// Items up to this bracket, and true if there is a comma.
    fn items(&mut self, end: &str) -> Option<(Vec<Expression<'t>>, bool)> {
        self.items_of(end, Self::expression)
    }

    fn items_of(
        &mut self,
        end: &str,
        item: fn(&mut Self) -> Option<Expression<'t>>,
    ) -> Option<(Vec<Expression<'t>>, bool)> {
        let (mut items, mut has_comma) = (Vec::new(), false);
        while !self.takes(end) {
            if !items.is_empty() && !has_comma {
                return None;
            }
            items.push(item(self)?);
            let comma = self.takes(",");
            has_comma |= comma;
            if !comma {
                return self.takes(end).then_some((items, has_comma));
            }
        }
        Some((items, has_comma))
    }

    fn dict(&mut self) -> Option<Expression<'t>> {
        let mut members = Vec::new();
        while !self.takes("}") {
            let key = self.expression()?;
            let value = if self.takes(":") {
                self.expression()?
            } else {
                return None;
            };
            members.push((key, value));
            if !self.takes(",") {
                return self.takes("}").then_some(Expression::Dict(members));
            }
        }
        Some(Expression::Dict(members))
    }

    fn arguments(&mut self) -> Option<Vec<Argument<'t>>> {
        let mut arguments = Vec::new();
        while !self.takes(")") {
            let name = if self.takes(POWER) {
                Name::Unpacked
            } else if self.takes("*") {
                Name::Starred
            } else {
                self.keyword().map_or(Name::Positional, Name::Keyword)
            };
            arguments.push((name, self.expression()?));
            if !self.takes(",") {
                return self.takes(")").then_some(arguments);
            }
        }
        Some(arguments)
    }
}

impl<'t> Parser<'t> {
    /// The name before `=`.
    fn keyword(&mut self) -> Option<&'t str> {
        self.skip();
        let before = self.rest;
        let name = self.name().filter(|name| !KEYWORDS.contains(name));
        let is_name = !self.rest.starts_with("==") && self.takes("=");
        if name.is_none() || !is_name {
            self.rest = before;
            return None;
        }
        name
    }
}

/// The length of the string literal at the start; `None` for any other text, including f-strings.
fn string_length(rest: &str) -> Option<usize> {
    let prefix = rest
        .bytes()
        .take_while(|byte| matches!(byte, b'r' | b'R' | b'u' | b'U'))
        .count();
    let body = rest.get(prefix..)?;
    let quote = ["\"\"\"", "'''", "\"", "'"]
        .into_iter()
        .find(|quote| prefix <= 1 && body.starts_with(quote))?;
    let mut at = quote.len();
    loop {
        let after = body.get(at..)?;
        if after.starts_with(quote) {
            return Some(prefix + at + quote.len());
        }
        let letter = after.chars().next()?;
        let escaped = if letter == '\\' {
            after.chars().nth(1)?.len_utf8()
        } else {
            0
        };
        at += letter.len_utf8() + escaped;
    }
}
