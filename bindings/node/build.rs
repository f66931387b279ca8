//! Tells the linker how an addon of Node is built.

fn main() {
    napi_build::setup();
}
