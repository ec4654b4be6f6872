import type { Pattern, Statement } from './syntax.ts'
import { type Evaluator, fields, isFields, Scope, type Value } from './values.ts'

/** Reason that a list of statements ended early. */
export interface Ended {
  value: Value
  isBreak?: true
}

/** Runs statements until one returns. */
export function runBody(statements: readonly Statement[], scope: Scope, evaluator: Evaluator): Ended | undefined {
  // Functions can be used before the line that declares them.
  for (const statement of statements)
    if (statement.kind === 'declare' && statement.value.kind === 'function') declare(statement, scope, evaluator)
  for (const statement of statements) {
    const ended = runStatement(statement, scope, evaluator)
    if (ended !== undefined) return ended
  }
  return undefined
}

function runStatement(statement: Statement, scope: Scope, evaluator: Evaluator): Ended | undefined {
  const { read, spend, call } = evaluator
  spend(1, statement.at)
  switch (statement.kind) {
    case 'declare':
      declare(statement, scope, evaluator)
      return undefined
    case 'run': {
      read(statement.value, scope)
      return undefined
    }
    case 'return':
      return { value: statement.value === undefined ? undefined : read(statement.value, scope) }
    case 'break':
      return { value: undefined, isBreak: true }
    case 'if':
      return runBody(read(statement.test, scope) ? statement.yes : statement.no, new Scope(scope), evaluator)
    case 'switch': {
      const of = read(statement.of, scope)
      const from = statement.cases.findIndex(({ test }) => test === undefined || read(test, scope) === of)
      const bodies = from < 0 ? [] : statement.cases.slice(from).flatMap(({ body }) => body)
      return withoutBreak(runBody(bodies, new Scope(scope), evaluator))
    }
    case 'for': {
      const inner = new Scope(scope)
      for (runBody(statement.start, inner, evaluator); read(statement.test, inner); read(statement.step, inner)) {
        spend(2, statement.at)
        const ended = runBody(statement.body, new Scope(inner), evaluator)
        if (ended?.isBreak === true) break
        if (ended !== undefined) return ended
      }
      return undefined
    }
    case 'for-of': {
      const list = read(statement.list, scope)
      if (typeof list === 'string') spend(1 + list.length / 100, statement.at)
      const items = typeof list === 'string' ? Array.from(list) : list
      if (!Array.isArray(items)) return evaluator.fail('Only a list can be looped over.', statement.at)
      for (const item of items) {
        const inner = new Scope(scope)
        bind(statement.pattern, item, inner, { read, spend, call, fail: evaluator.fail })
        const ended = runBody(statement.body, inner, evaluator)
        if (ended?.isBreak === true) break
        if (ended !== undefined) return ended
      }
      return undefined
    }
  }
}

function withoutBreak(ended: Ended | undefined): Ended | undefined {
  return ended?.isBreak === true ? undefined : ended
}

function declare(
  { pattern, value, at }: Extract<Statement, { kind: 'declare' }>,
  scope: Scope,
  evaluator: Evaluator,
): void {
  evaluator.spend(1, at)
  bind(pattern, evaluator.read(value, scope), scope, evaluator)
}

export function bind(pattern: Pattern, given: Value, scope: Scope, evaluator: Evaluator): void {
  const value =
    given === undefined && pattern.otherwise !== undefined ? evaluator.read(pattern.otherwise, scope) : given
  if (pattern.kind === 'name') scope.set(pattern.name, value)
  else if (pattern.kind === 'array') {
    // A text may be long, and only as many characters are needed as the pattern has names.
    const items = Array.isArray(value)
      ? value
      : typeof value === 'string'
        ? firstCharacters(value, pattern.items.length)
        : []
    pattern.items.forEach((item, index) => item !== undefined && bind(item, items[index], scope, evaluator))
  } else {
    const from = isFields(value) ? value : fields()
    for (const { key, pattern: inner } of pattern.entries)
      bind(inner, Object.hasOwn(from, key) ? from[key] : undefined, scope, evaluator)
    if (pattern.rest === undefined) return
    const used = new Set(pattern.entries.map(({ key }) => key))
    scope.set(pattern.rest, fields(Object.fromEntries(Object.entries(from).filter(([key]) => !used.has(key)))))
  }
}

function firstCharacters(text: string, count: number): string[] {
  // A character has at most two units.
  return Array.from(text.slice(0, count * 2)).slice(0, count)
}
