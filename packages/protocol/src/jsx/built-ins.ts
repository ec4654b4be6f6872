import { callMethod, readField } from './methods.ts'
import {
  type Evaluator,
  type Fields,
  fields,
  isFields,
  Moment,
  Native,
  numberOf,
  Scope,
  textOf,
  type Value,
} from './values.ts'

export interface Methods {
  field(of: Value, key: Value, at: number): Value
  call(of: Value, name: string, values: Value[], at: number): Value
}

export function createMethods(evaluator: Evaluator): Methods {
  return {
    field: (of, key, at) => readField(of, key, at, evaluator),
    call: (of, name, values, at) => callMethod(of, name, values, at, evaluator),
  }
}

const math =
  'abs ceil floor round trunc sign sqrt cbrt pow min max sin cos tan asin acos atan atan2 exp log log2 log10 hypot'

/** Names that every page knows. */
export function createGlobals(evaluator: Evaluator): Scope {
  const scope = new Scope()
  const nothing = new Native(() => undefined)
  let seed = 42
  const mathFields: Record<string, Value> = Object.fromEntries(
    math
      .split(' ')
      .map((name) => [
        name,
        new Native((values) => (Math[name as 'max'] as (...numbers: number[]) => number)(...values.map(numberOf))),
      ]),
  )
  const react: Record<string, Value> = {
    useState: new Native(([first], at) => {
      const value =
        typeof first === 'object' && first !== null && 'code' in first ? evaluator.call(first, [], at) : first
      return [value, nothing]
    }),
    useReducer: new Native(([, first]) => [first, nothing]),
    useMemo: new Native(([make], at) => evaluator.call(make, [], at)),
    useCallback: new Native(([made]) => made),
    useRef: new Native(([first]) => fields({ current: first })),
    useId: new Native(() => 'id'),
    useEffect: nothing,
    useLayoutEffect: nothing,
    memo: new Native(([component]) => component),
    forwardRef: new Native(([component]) => component),
  }
  const all: Record<string, Value> = {
    Math: fields({
      ...mathFields,
      PI: Math.PI,
      E: Math.E,
      SQRT2: Math.SQRT2,
      // The same numbers each time, so that a page looks the same whenever it is shown.
      random: new Native(() => (seed = (seed * 16_807) % 2_147_483_647) / 2_147_483_647),
    }),
    Object: fields({
      keys: new Native(([of], at) => namesOf(of, at)),
      values: new Native(([of], at) => namesOf(of, at).map((name) => (of as Fields)[name])),
      entries: new Native(([of], at) => namesOf(of, at).map((name) => [name, (of as Fields)[name]])),
      fromEntries: new Native(([list]) => fromEntries(list)),
      assign: new Native((values) => Object.assign(fields(), ...values.filter(isFields)) as Fields),
      freeze: new Native(([of]) => of),
    }),
    Array: new Native((values, at) => callMethod(undefined, 'Array', values, at, evaluator)),
    JSON: fields({
      stringify: new Native(([value, , space], at) =>
        JSON.stringify(
          plain(value, () => evaluator.spend(1, at)),
          null,
          numberOf(space ?? 0),
        ),
      ),
    }),
    Date: new Native(() => new Date().toString()),
    Number: new Native(([value]) => numberOf(value)),
    String: new Native(([value]) => textOf(value)),
    Boolean: new Native(([value]) => Boolean(value)),
    parseInt: new Native(([value, base]) => Number.parseInt(textOf(value), numberOf(base ?? 10))),
    parseFloat: new Native(([value]) => Number.parseFloat(textOf(value))),
    isNaN: new Native(([value]) => Number.isNaN(numberOf(value))),
    encodeURIComponent: new Native(([value]) => encodeURIComponent(textOf(value).toWellFormed())),
    Infinity,
    NaN: Number.NaN,
    console: fields({ log: nothing, warn: nothing, error: nothing }),
    React: fields(react),
    ...react,
    cn: new Native((values) => classNames(values)),
    clsx: new Native((values) => classNames(values)),
    twMerge: new Native((values) => classNames(values)),
  }
  for (const [name, value] of Object.entries(all)) scope.set(name, value)
  return scope

  function namesOf(of: Value, at: number): string[] {
    const names = isFields(of) ? Object.keys(of) : []
    evaluator.spend(names.length, at)
    return names
  }
}

function fromEntries(list: Value): Value {
  const made = fields()
  if (Array.isArray(list)) for (const pair of list) if (Array.isArray(pair)) made[textOf(pair[0])] = pair[1]
  return made
}

function classNames(values: readonly Value[]): string {
  return values
    .flatMap((value): string[] => {
      if (typeof value === 'string') return [value]
      if (Array.isArray(value)) return [classNames(value)]
      return isFields(value) ? Object.keys(value).filter((name) => value[name]) : []
    })
    .join(' ')
}

/** For JSON: functions and elements are left out, and what is nested too deeply. */
function plain(value: Value, spend: () => void, depth = 0): unknown {
  spend()
  if (value instanceof Moment) return value.date.toJSON()
  if (typeof value !== 'object' || depth > 10) return typeof value === 'object' ? null : value
  if (Array.isArray(value)) return value.map((item) => plain(item, spend, depth + 1))
  if (!isFields(value)) return null
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, plain(inner, spend, depth + 1)]))
}
