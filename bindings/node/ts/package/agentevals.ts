/**
 * This path gives what the package agentevals for JavaScript gives, as `rightcall/agentevals` does.
 *
 * @packageDocumentation
 */
export * from "../agentevals.js";
