import {
  type Evaluator,
  type Fields,
  isFields,
  joined,
  Moment,
  Native,
  numberOf,
  Shown,
  textOf,
  type Value,
} from './values.ts'

const maxItems = 10_000
const maxText = 1_000_000

/** Reads a field that the value itself has: never one of a prototype. */
export function readField(of: Value, key: Value, at: number, { fail }: Evaluator): Value {
  if (of == null) return fail(`A field of ${String(of)} cannot be read: "${textOf(key).slice(0, 40)}".`, at)
  if (Array.isArray(of) || typeof of === 'string') {
    if (key === 'length') return of.length
    const index = typeof key === 'string' && /^\d+$/.test(key) ? Number(key) : key
    return typeof index === 'number' ? of[index] : undefined
  }
  if (isFields(of)) return Object.hasOwn(of, textOf(key)) ? of[textOf(key)] : undefined
  return undefined
}

type Method<Of> = (of: Of, values: Value[], at: number, evaluator: Evaluator) => Value

/** Calls a method by name. Only those listed here exist. */
export function callMethod(of: Value, name: string, values: Value[], at: number, evaluator: Evaluator): Value {
  const { fail, spend } = evaluator
  if (of === undefined && name === 'Array') return madeList(values, at, evaluator)
  if (of == null) return fail(`"${name.slice(0, 40)}" cannot be called on ${String(of)}.`, at)
  if (Array.isArray(of)) {
    spend(of.length, at)
    const method = own(listMethods, name)
    if (method !== undefined) return method(of, values, at, evaluator)
  }
  if (typeof of === 'string') {
    spend(1 + of.length / 100, at)
    const method = own(textMethods, name)
    if (method !== undefined) return method(of, values, at, evaluator)
  }
  if (typeof of === 'number' || of instanceof Moment) {
    const method = typeof of === 'number' ? own(numberMethods, name) : undefined
    if (method !== undefined) return method(of as number, values, at, evaluator)
    if (/^toLocale(?:Date|Time)?String$/.test(name)) return localized(of, name, values)
  }
  if (of instanceof Moment) return dateField(of, name, at, evaluator)
  if (of instanceof Native && name === 'from') return listFrom(values, at, evaluator)
  if (of instanceof Native && name === 'isInteger') return Number.isInteger(values[0])
  if (of instanceof Native && name === 'fromCharCode') return String.fromCharCode(...values.map(numberOf))
  if (of instanceof Native && name === 'isArray') return Array.isArray(values[0])
  if (of instanceof Native && name === 'now') return Date.now()
  if (name === 'toString' && typeof of === 'number') return of.toString(between(values[0] ?? 10, 2, 36))
  if (name === 'toString' || name === 'valueOf') return textOf(of)
  return fail(`"${name.slice(0, 40)}" is not available here. Write the result itself.`, at)
}

function own<Of>(methods: Record<string, Method<Of>>, name: string): Method<Of> | undefined {
  return Object.hasOwn(methods, name) ? methods[name] : undefined
}

const listMethods: Record<string, Method<Value[]>> = {
  map: (of, [work], at, { call }) => of.map((item, index) => call(work, [item, index, of], at)),
  flatMap: (of, [work], at, evaluator) =>
    flattened(
      of.map((item, index) => evaluator.call(work, [item, index, of], at)),
      1,
      at,
      evaluator,
    ),
  forEach(of, [work], at, { call }) {
    of.forEach((item, index) => call(work, [item, index, of], at))
    return undefined
  },
  filter: (of, [work], at, { call }) =>
    of.filter((item, index) => (work instanceof Native ? work.call([item], at) : call(work, [item, index, of], at))),
  find: (of, [work], at, { call }) => of.find((item, index) => call(work, [item, index, of], at)),
  findIndex: (of, [work], at, { call }) => of.findIndex((item, index) => call(work, [item, index, of], at)),
  some: (of, [work], at, { call }) => of.some((item, index) => call(work, [item, index, of], at)),
  every: (of, [work], at, { call }) => of.every((item, index) => call(work, [item, index, of], at)),
  reduce(of, values, at, { call, fail }) {
    const [work, first] = values
    if (of.length === 0 && values.length < 2) return fail('An empty list cannot be reduced without a first value.', at)
    const rest = values.length < 2 ? of.slice(1) : of
    return rest.reduce<Value>(
      (sum, item, index) => call(work, [sum, item, index], at),
      values.length < 2 ? of[0] : first,
    )
  },
  join: (of, [by]) => joined(of, by === undefined ? ',' : textOf(by)),
  slice: (of, [from, to]) => of.slice(numberOf(from ?? 0), to === undefined ? undefined : numberOf(to)),
  concat: (of, values, at, evaluator) => flattened([of, ...values], 1, at, evaluator),
  includes: (of, [item]) => of.includes(item),
  indexOf: (of, [item]) => of.indexOf(item),
  at: (of, [index]) => of.at(numberOf(index ?? 0)),
  reverse: (of) => of.toReversed(),
  toReversed: (of) => of.toReversed(),
  sort: sorted,
  toSorted: sorted,
  flat: (of, [depth], at, evaluator) => flattened(of, Math.min(10, numberOf(depth ?? 1)), at, evaluator),
  fill: (of, [item]) => of.map(() => item),
  keys: (of) => of.map((_, index) => index),
  entries: (of) => of.map((item, index) => [index, item]),
  push(of, values, at, { fail }) {
    if (of.length + values.length > maxItems) fail(`A list has more than ${maxItems} items.`, at)
    return of.push(...values)
  },
}

function flattened(list: readonly Value[], depth: number, at: number, evaluator: Evaluator): Value[] {
  evaluator.spend(list.length, at)
  const flat: Value[] = []
  for (const item of list) {
    for (const inner of Array.isArray(item) && depth > 0 ? flattened(item, depth - 1, at, evaluator) : [item])
      flat.push(inner)
    if (flat.length > maxItems) evaluator.fail(`A list has more than ${maxItems} items.`, at)
  }
  return flat
}

function sorted(of: Value[], [work]: Value[], at: number, { call }: Evaluator): Value {
  if (work === undefined) return of.toSorted((one, other) => (textOf(one) < textOf(other) ? -1 : 1))
  return of.toSorted((one, other) => numberOf(call(work, [one, other], at)))
}

const textMethods: Record<string, Method<string>> = {
  toUpperCase: (of) => of.toUpperCase(),
  toLowerCase: (of) => of.toLowerCase(),
  trim: (of) => of.trim(),
  split: (of, [by]) => (by === undefined ? [of] : of.split(textOf(by), maxItems)),
  slice: (of, [from, to]) => of.slice(numberOf(from ?? 0), to === undefined ? undefined : numberOf(to)),
  substring: (of, [from, to]) =>
    of.slice(Math.max(0, numberOf(from ?? 0)), to === undefined ? undefined : Math.max(0, numberOf(to))),
  charAt: (of, [index]) => of.charAt(numberOf(index ?? 0)),
  charCodeAt: (of, [index]) => of.charCodeAt(numberOf(index ?? 0)),
  at: (of, [index]) => of.at(numberOf(index ?? 0)),
  includes: (of, [text]) => of.includes(textOf(text)),
  indexOf: (of, [text]) => of.indexOf(textOf(text)),
  startsWith: (of, [text]) => of.startsWith(textOf(text)),
  endsWith: (of, [text]) => of.endsWith(textOf(text)),
  replace: (of, [from, to]) => of.replace(textOf(from), () => textOf(to)).slice(0, maxText),
  replaceAll(of, [from, to], at, { fail }) {
    if (of.length * textOf(to).length > 10_000_000) return fail('The text is too long.', at)
    return of.replaceAll(textOf(from), () => textOf(to)).slice(0, maxText)
  },
  repeat: (of, [times]) =>
    of.repeat(Math.max(0, Math.min(numberOf(times) || 0, 10_000, maxText / Math.max(1, of.length)))),
  padStart: (of, [length, by]) => of.padStart(Math.min(1000, numberOf(length)), by === undefined ? ' ' : textOf(by)),
  padEnd: (of, [length, by]) => of.padEnd(Math.min(1000, numberOf(length)), by === undefined ? ' ' : textOf(by)),
  concat: (of, values) => (of + joined(values, '')).slice(0, maxText),
  localeCompare: (of, [other]) => of.localeCompare(textOf(other)),
}

const numberMethods: Record<string, Method<number>> = {
  toFixed: (of, [digits]) => of.toFixed(between(digits, 0, 20)),
  toPrecision: (of, [digits]) => of.toPrecision(between(digits, 1, 20)),
}

function between(value: Value, least: number, most: number): number {
  return Math.min(most, Math.max(least, Math.trunc(numberOf(value ?? least)) || least))
}

/** Formats for people. Options that the runtime refuses are ignored. */
function localized(of: number | Moment, name: string, [locale, options]: Value[]): string {
  const given = isFields(options) ? plainOptions(options) : undefined
  const language = typeof locale === 'string' ? locale : 'en-US'
  try {
    if (typeof of === 'number') return of.toLocaleString(language, given)
    return of.date[name as 'toLocaleString'](language, given)
  } catch {
    return typeof of === 'number' ? of.toLocaleString('en-US') : of.date.toLocaleString('en-US')
  }
}

function plainOptions(options: Fields): Record<string, string> {
  const entries = Object.entries(options).filter(([, value]) => ['string', 'number', 'boolean'].includes(typeof value))
  return Object.fromEntries(entries) as Record<string, string>
}

function dateField({ date }: Moment, name: string, at: number, { fail }: Evaluator): Value {
  const parts =
    /^(?:get(?:UTC)?(?:FullYear|Month|Date|Day|Hours|Minutes|Seconds|Milliseconds)|getTime|valueOf|toISOString|toDateString|toString)$/
  if (!parts.test(name))
    return fail(`"${name.slice(0, 40)}" of a date is not available here. Write the result itself.`, at)
  if (Number.isNaN(date.getTime())) return name.startsWith('to') ? 'Invalid Date' : Number.NaN
  return date[name as 'getTime']()
}

function madeList(values: Value[], at: number, { fail, spend }: Evaluator): Value {
  const [length] = values
  if (values.length !== 1 || typeof length !== 'number') return values
  if (!(length >= 0 && length <= maxItems)) return fail(`A list has more than ${maxItems} items.`, at)
  spend(length, at)
  return Array.from({ length: Math.floor(length) }, () => undefined)
}

function listFrom([of, work]: Value[], at: number, evaluator: Evaluator): Value {
  const items = Array.isArray(of)
    ? of
    : typeof of === 'string'
      ? Array.from(of)
      : isFields(of)
        ? madeList([numberOf(of['length'] ?? 0)], at, evaluator)
        : []
  if (!Array.isArray(items) || of instanceof Shown) return []
  evaluator.spend(items.length, at)
  return work === undefined ? items : items.map((item, index) => evaluator.call(work, [item, index], at))
}
