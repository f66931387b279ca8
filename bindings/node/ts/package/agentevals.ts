/**
 * The numbers of the JavaScript package agentevals, the same as in `rightcall/agentevals`.
 *
 * @packageDocumentation
 */
export * from "../agentevals.js";
