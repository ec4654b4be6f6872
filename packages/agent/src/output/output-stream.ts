import { JsonReader } from '../json/json-reader.ts'
import { parsePath, PathTree, type PatternSegment, type ReadResult } from '../json/path.ts'
import { type CheckedOutput, ensureProblems, type OutputProblem } from './ensure.ts'
import { KeyReaders, type PathWatcher } from './key-readers.ts'
import {
  type HandlerContext,
  keyNotInSchema,
  type KeyValidator,
  noHandlers,
  outputSchemaMissing,
  type OutputStream,
  type OutputStreamOptions,
} from './output-stream-types.ts'
import { problemOf, ValidationRound } from './round.ts'

const everyKind = new Set(['object', 'list', 'scalar'] as const)

/** Creates one structured answer: takes text over any number of attempts and emits values. */
export function createOutputStream<Input, Output = Input>(
  options: OutputStreamOptions<Input, Output>,
): OutputStream<Input, Output> {
  // The class accepts any path; the interface allows only paths of the schema.
  return new Stream(options) as unknown as OutputStream<Input, Output>
}

interface KeyOptions {
  readonly mustInPrompt?: boolean
  readonly optional?: boolean
  readonly resets?: boolean
}

class Stream<Input, Output> {
  readonly #options: OutputStreamOptions<Input, Output>
  readonly #places: PathTree<PathWatcher>
  readonly #readers: KeyReaders
  readonly #wholeValidators: readonly KeyValidator[]
  #round: ValidationRound
  #reader: JsonReader<PathWatcher>
  #result: ReadResult | undefined
  #isOver = false

  constructor(options: OutputStreamOptions<Input, Output>) {
    this.#options = options
    this.#places = new PathTree(options.pathStyle ?? 'dot')
    this.#round = this.#newRound(1)
    this.#readers = new KeyReaders(
      {
        places: this.#places,
        lookBack: (tell, pattern) => this.#reader.tell(tell, pattern),
        onSatisfied: () => {
          if (this.#result === undefined) options.onSatisfied?.()
        },
        onHandlerError: (error) => {
          if (!this.#isOver) options.onHandlerError?.(error)
        },
      },
      this.#round,
    )
    this.#reader = this.#newReader()
    const validators = options.validators ?? []
    this.#wholeValidators = validators.filter(({ path }) => path === '')
    for (const { path, check } of validators) {
      if (path !== '') this.#places.root.admit({ kind: 'validator', pattern: this.#pattern(path), check })
    }
  }

  get attempt(): number {
    return this.#round.attempt
  }

  get partial(): unknown {
    return this.#reader.value
  }

  write(delta: string): void {
    if (!this.#isOver && this.#result === undefined) this.#reader.write(delta)
  }

  end(): ReadResult {
    if (this.#result !== undefined) return this.#result
    this.#result = this.#reader.end()
    this.#readers.release()
    return this.#result
  }

  hold(): void {
    this.#readers.hold()
  }

  restart(reason: string): void {
    if (this.#isOver) return
    this.#result = undefined
    this.#reader = this.#newReader()
    this.#round = this.#newRound(this.attempt)
    this.#readers.restart(this.#round, reason)
  }

  async check(): Promise<CheckedOutput<Output>> {
    const { value, malformed, repeated } = this.end()
    const { schema, ensure = [] } = this.#options
    const round = this.#round
    await round.settled()
    // A rejected key may have truncated the text. Report the rejection as the reason.
    if (malformed !== undefined && round.problems.length > 0) return rejected(round.problems)
    if (malformed !== undefined) return rejected([{ path: '', message: malformed, retry: true }])
    if (repeated !== undefined) return rejected([{ path: repeated, message: 'is written twice', retry: true }])
    const missing = ensureProblems(value, [...(schema?.ensure ?? []), ...ensure])
    const checked = schema === undefined ? { ok: true as const, data: value as Output } : await schema.validate(value)
    const problems = distinct([...missing, ...round.problems, ...(checked.ok ? [] : checked.problems)])
    if (!checked.ok || problems.length > 0) return rejected(problems)
    const verdicts = await Promise.all(this.#wholeValidators.map(async ({ check }) => check(checked.data as never)))
    const whole = verdicts.map((verdict) => problemOf(verdict, '')).filter((problem) => problem !== undefined)
    return whole.length > 0 ? rejected(whole) : checked
  }

  reset(reason: string): void {
    if (this.#isOver) return
    this.#round = this.#newRound(this.attempt + 1)
    this.#result = undefined
    this.#reader = this.#newReader()
    this.#readers.reset(this.#round, reason)
  }

  close(): void {
    if (this.#isOver) return
    this.end()
    this.#isOver = true
    this.#readers.close()
  }

  fail(error: unknown): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#readers.fail(error)
  }

  settled(): Promise<void> {
    return this.#readers.settled()
  }

  async key(path: string, options: KeyOptions = {}): Promise<unknown> {
    const pattern = this.#pattern(path, options)
    this.#options.onReader?.()
    return this.#readers.key(path, pattern, options.optional ?? false)
  }

  waitKeys(paths: readonly string[], options: KeyOptions = {}): unknown {
    const keys = paths.map((key) => ({ key, pattern: this.#pattern(key, options) }))
    this.#options.onReader?.()
    return this.#readers.waitKeys(keys, options)
  }

  when(path: string, handler: (value: unknown, context: HandlerContext) => unknown, options: KeyOptions = {}): this {
    this.#readers.when(path, this.#pattern(path, options), handler)
    return this
  }

  async startWaiter(): Promise<unknown> {
    if (this.#options.schema === undefined) throw outputSchemaMissing()
    if (!this.#readers.hasHandlers) throw noHandlers()
    this.#options.onReader?.()
    return this.#readers.handled()
  }

  instant(): unknown {
    this.#options.onReader?.()
    return this.#readers.instant()
  }

  #pattern(path: string, { mustInPrompt = true }: KeyOptions = {}): PatternSegment[] {
    const { schema } = this.#options
    if (schema === undefined) throw outputSchemaMissing()
    if (mustInPrompt && !schema.has(path)) throw keyNotInSchema(path, schema.paths)
    return parsePath(path)
  }

  #newRound(attempt: number): ValidationRound {
    return new ValidationRound(attempt, (problem) => {
      if (!this.#isOver && this.#result === undefined) this.#options.onInvalid?.(problem)
    })
  }

  #newReader(): JsonReader<PathWatcher> {
    const readers = this.#readers
    const { schema } = this.#options
    // A callback may end the attempt in the middle of a piece. Ignore the rest of the piece.
    const isHeard = (): boolean => this.#reader === reader && !this.#isOver
    const reader: JsonReader<PathWatcher> = new JsonReader({
      root: this.#places.root,
      kinds: schema?.kinds ?? everyKind,
      fields: schema?.fields ?? new Map(),
      sink: {
        get all() {
          return readers.wantAll
        },
        emit: (event, place) => {
          if (isHeard()) readers.emit(event, place)
        },
        replay: (tellAll) => readers.replay(tellAll),
        reset: (reason) => {
          if (!isHeard()) return
          this.#round = this.#newRound(this.attempt)
          readers.reset(this.#round, reason)
        },
      },
    })
    return reader
  }
}

function rejected(problems: readonly OutputProblem[]): { ok: false; problems: readonly OutputProblem[] } {
  return { ok: false, problems }
}

function distinct(problems: readonly OutputProblem[]): OutputProblem[] {
  return [...new Map(problems.toReversed().map((problem) => [problem.path, problem])).values()].toReversed()
}
