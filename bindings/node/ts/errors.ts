/** What an error knows beside its message. */
export interface Facts {
  /** What is wrong. */
  message: string;
  /** What can be done about it. */
  help?: string;
  /** The file it is about. */
  file?: string;
  /** The line in that file, from 1. */
  line?: number;
  /** The place in the record, a JSON pointer. */
  pointer?: string;
}

/** Any error of this package. */
export class RightcallError extends Error {
  /** What you can do about it. */
  declare readonly help?: string;
  /** The file it is about. */
  declare readonly file?: string;
  /** The line in that file, from 1. */
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

/** An evaluator that does not exist, or not with these settings; an option that does not exist. */
export class ConfigError extends RightcallError {}

/** A case that is none: something else stands where calls or their parts belong. */
export class CaseError extends RightcallError {}

/** A file that cannot be opened or read, or a record in it. */
export class ReadError extends RightcallError {}

/** The original raises an error for this input, and so does what stands in for it. */
export class EvaluationError extends RightcallError {}

/** A bug in rightcall. */
export class InternalError extends RightcallError {}

/** A guard stopped the run: the agent insisted on a call that a rule forbids. */
export class RunStopped extends RightcallError {}
