/** The fields of an error. */
export interface Facts {
  /** The error message. */
  message: string;
  /** Advice on how to fix the error. */
  help?: string;
  /** The file with the error. */
  file?: string;
  /** The line in the file, from 1. */
  line?: number;
  /** The place in the record, a JSON pointer. */
  pointer?: string;
}

/** Any error of this package. */
export class RightcallError extends Error {
  /** Advice on how to fix the error. */
  declare readonly help?: string;
  /** The file with the error. */
  declare readonly file?: string;
  /** The line in the file, from 1. */
  declare readonly line?: number;
  /** The place in the record, a JSON pointer. */
  declare readonly pointer?: string;

  /** @internal */
  constructor({ message, help, file, line, pointer }: Facts) {
    super(help === undefined ? message : `${message} (${help})`);
    this.name = new.target.name;
    if (help !== undefined) this.help = help;
    if (file !== undefined) this.file = file;
    if (line !== undefined) this.line = line;
    if (pointer !== undefined) this.pointer = pointer;
  }
}

/** An unknown evaluator, one with invalid settings, or an unknown option. */
export class ConfigError extends RightcallError {}

/** An invalid case. */
export class CaseError extends RightcallError {}

/** A file that cannot be opened or read, or a record in it. */
export class ReadError extends RightcallError {}

/** The original throws an error for this input, and so does its drop-in. */
export class EvaluationError extends RightcallError {}

/** A bug in rightcall. */
export class InternalError extends RightcallError {}

/** A guard stopped the run: the agent insisted on a call that a rule forbids. */
export class RunStopped extends RightcallError {}
