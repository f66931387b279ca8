//! Nothing: Cargo looks at the dependencies of a build only where there is one.

fn main() {}
