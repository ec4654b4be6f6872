import { createGlobals, createMethods } from './built-ins.ts'
import { isIcon } from './icon-names.ts'
import { binaryValue, unaryValue } from './operators.ts'
import { bind, runBody } from './run-statements.ts'
import {
  type Child,
  type ElementExpression,
  type Expression,
  JsxRefused,
  type ListItem,
  type Program,
} from './syntax.ts'
import {
  Closure,
  type Evaluator,
  type Fields,
  fields,
  isFields,
  Moment,
  Named,
  Native,
  numberOf,
  type PageNode,
  Scope,
  Shown,
  textOf,
  type Value,
} from './values.ts'

export const pageLimits = {
  steps: 400_000,
  elements: 5000,
  characters: 1_000_000,
  depth: 60,
  items: 10_000,
  milliseconds: 250,
}

/** Makes the nodes of an element that is not a component of the source itself. */
export type MakeElement = (name: string, props: Fields, children: PageNode[], at: number) => PageNode[]

/** Evaluates a source to the nodes of its page. Every value is data; host objects are unreachable. */
export function evaluateProgram(program: Program, make: MakeElement): PageNode[] {
  const started = Date.now()
  let steps = 0
  let spent = 0
  let elements = 0
  let characters = 0
  let depth = 0
  const evaluator: Evaluator = { read, call, spend, fail }
  const methods = createMethods(evaluator)
  const top = new Scope(createGlobals(evaluator))
  return pageOf()

  function pageOf(): PageNode[] {
    const shown: PageNode[] = []
    const names: string[] = []
    for (const statement of program.statements) {
      if (statement.kind === 'declare' && statement.pattern.kind === 'name') names.push(statement.pattern.name)
      if (statement.kind !== 'run' || statement.value.kind === 'element') {
        const returned = runBody(
          statement.kind === 'run' ? [{ ...statement, kind: 'return' }] : [statement],
          top,
          evaluator,
        )
        if (returned !== undefined) shown.push(...nodesOf(returned.value, statement.at))
      }
    }
    if (program.exported !== undefined) return rendered(read(program.exported, top), program.exported.at)
    if (shown.length > 0) return shown
    const named = ['App', ...names.toReversed().filter((name) => /^[A-Z]/.test(name)), ...names.toReversed()]
    const main = named.map((name) => top.get(name)).find((value) => value instanceof Closure || value instanceof Shown)
    return main === undefined ? [] : rendered(main, 0)
  }

  function rendered(value: Value, at: number): PageNode[] {
    return nodesOf(value instanceof Closure ? call(value, [fields()], at) : value, at)
  }

  function read(expression: Expression, scope: Scope): Value {
    spend(1, expression.at)
    const { at } = expression
    switch (expression.kind) {
      case 'value':
        return expression.value
      case 'name':
        return lookUp(expression.name, scope, at)
      case 'template': {
        let text = ''
        for (const [index, part] of expression.texts.entries()) {
          const value = expression.values[index]
          text = sized(text + part + (value === undefined ? '' : textOf(read(value, scope))), at)
        }
        return text
      }
      case 'array':
        return sized(listOf(expression.items, scope), at)
      case 'object':
        return objectOf(expression, scope)
      case 'function':
        return new Closure(expression, scope)
      case 'element':
        return new Shown(elementOf(expression, scope))
      case 'choice':
        return read(read(expression.test, scope) ? expression.yes : expression.no, scope)
      case 'unary':
        return unaryValue(expression.operator, read(expression.of, scope))
      case 'binary':
        return binary(expression, scope)
      case 'assign':
        return assign(expression, scope)
      case 'member':
      case 'call':
        return access(expression, scope)
      case 'new':
        return construct(expression.name, listOf(expression.values, scope), at)
    }
  }

  function lookUp(name: string, scope: Scope, at: number): Value {
    const holder = scope.holder(name)
    if (holder !== undefined) return holder.get(name)
    const imported = program.imports.get(name)
    if (/^[A-Z]/.test(name) && (imported !== undefined || isIcon(name))) return new Named(imported?.name ?? name)
    if (imported !== undefined)
      return fail(`"${name}" comes from "${imported.module}", which is not available. Define it in the source.`, at)
    return fail(
      `"${name}" is not defined. Write the value itself, or define it above: const ${name.slice(0, 40)} = …`,
      at,
    )
  }

  function access(expression: Extract<Expression, { kind: 'member' | 'call' }>, scope: Scope): Value {
    const { at, isOptional } = expression
    if (expression.kind === 'member') {
      const of = read(expression.of, scope)
      if (of == null && isOptional) return undefined
      return methods.field(of, read(expression.key, scope), at)
    }
    const { of } = expression
    if (of.kind !== 'member') {
      const called = read(of, scope)
      if (called == null && isOptional) return undefined
      return call(called, listOf(expression.values, scope), at)
    }
    const owner = read(of.of, scope)
    if (owner == null && (of.isOptional || isOptional)) return undefined
    const key = read(of.key, scope)
    if (isFields(owner) && typeof key === 'string' && Object.hasOwn(owner, key))
      return call(owner[key], listOf(expression.values, scope), at)
    return methods.call(owner, textOf(key), listOf(expression.values, scope), at)
  }

  function call(of: Value, values: Value[], at: number): Value {
    spend(5, at)
    if (of instanceof Native) return of.call(values, at)
    if (!(of instanceof Closure)) return fail('This is not a function.', at)
    const { code, scope } = of
    if ((depth += 1) > pageLimits.depth) fail('Functions call each other too deeply.', at)
    const inner = new Scope(scope)
    code.parameters.forEach((parameter, index) =>
      bind(parameter, parameter.isRest === true ? values.slice(index) : values[index], inner, evaluator),
    )
    const value = Array.isArray(code.body) ? runBody(code.body, inner, evaluator)?.value : read(code.body, inner)
    depth -= 1
    return value
  }

  function construct(name: string, values: Value[], at: number): Value {
    if (name === 'Date') {
      const [first] = values
      if (values.length > 1) return new Moment(new Date(...(values.map(numberOf) as [number, number])))
      if (values.length === 0) return new Moment(new Date())
      return new Moment(new Date(typeof first === 'string' ? first : numberOf(first)))
    }
    if (name === 'Array') return methods.call(undefined, 'Array', values, at)
    if (name === 'Intl.NumberFormat' || name === 'Intl.DateTimeFormat')
      return fields({ format: new Native(([value], where) => methods.call(value, 'toLocaleString', values, where)) })
    return fail(`"new ${name.slice(0, 40)}" is not available in a page. Write the value itself.`, at)
  }

  function listOf(items: readonly ListItem[], scope: Scope): Value[] {
    const list: Value[] = []
    for (const { value, isSpread } of items) {
      const given = read(value, scope)
      const spread = isSpread && typeof given === 'string' ? Array.from(given) : given
      if (!isSpread) list.push(given)
      else if (Array.isArray(spread)) for (const item of spread) list.push(item)
      else fail('Only a list can be spread here.', value.at)
      if (isSpread && Array.isArray(spread)) spend(spread.length, value.at)
      sized(list, value.at)
    }
    return list
  }

  function objectOf({ entries }: Extract<Expression, { kind: 'object' }>, scope: Scope): Fields {
    const made = fields()
    for (const { key, value } of entries) {
      if (key === undefined) {
        const spread = read(value, scope)
        if (!isFields(spread)) continue
        spend(Object.keys(spread).length, value.at)
        Object.assign(made, spread)
      } else made[textOf(read(key, scope))] = read(value, scope)
    }
    return made
  }

  function assign({ operator, to, value, at }: Extract<Expression, { kind: 'assign' }>, scope: Scope): Value {
    const given = (): Value => {
      if (operator === '=') return read(value, scope)
      return binary({ kind: 'binary', operator: operator.slice(0, -1), left: to, right: value, at }, scope)
    }
    if (to.kind === 'name') {
      const holder = scope.holder(to.name)
      if (holder === undefined) return fail(`"${to.name}" is not defined.`, at)
      const made = given()
      holder.set(to.name, made)
      return made
    }
    if (to.kind !== 'member') return fail('Only a name or a field can be assigned.', at)
    const [owner, key, made] = [read(to.of, scope), read(to.key, scope), given()]
    if (isFields(owner)) owner[textOf(key)] = made
    else if (Array.isArray(owner) && typeof key === 'number' && key >= 0 && key < pageLimits.items)
      owner[Math.floor(key)] = made
    else fail('This field cannot be assigned.', at)
    return made
  }

  function binary({ operator, left, right, at }: Extract<Expression, { kind: 'binary' }>, scope: Scope): Value {
    const one = read(left, scope)
    if (operator === '&&') return one ? read(right, scope) : one
    if (operator === '||') return one ? one : read(right, scope)
    if (operator === '??') return one ?? read(right, scope)
    const value = binaryValue(operator, one, read(right, scope))
    return typeof value === 'string' ? sized(value, at) : value
  }

  function elementOf({ name, attributes, children, at }: ElementExpression, scope: Scope): PageNode[] {
    if ((elements += 1) > pageLimits.elements) fail(`There are more than ${pageLimits.elements} elements.`, at)
    const props = fields()
    for (const attribute of attributes) {
      const value = read(attribute.value, scope)
      if (attribute.name !== undefined) props[attribute.name] = value
      else if (isFields(value)) Object.assign(props, value)
    }
    const inside = childrenOf(children, scope)
    const own = componentOf(name, scope)
    if (!(own instanceof Closure))
      return make(own?.name ?? importedName(name), props, inside.length > 0 ? inside : propChildren(props, at), at)
    if (inside.length > 0) props['children'] = new Shown(inside)
    return nodesOf(call(own, [props], at), at)
  }

  function importedName(name: string): string {
    return program.imports.get(name)?.name ?? name
  }

  /** A component that the source defines or has as a value. */
  function componentOf(name: string, scope: Scope): Closure | Named | undefined {
    const [first = '', ...path] = name.split('.')
    if (!/^[A-Z]/.test(first) && path.length === 0) return undefined
    let value = scope.holder(first)?.get(first)
    for (const key of path) value = isFields(value) && Object.hasOwn(value, key) ? value[key] : undefined
    return value instanceof Closure || value instanceof Named ? value : undefined
  }

  function propChildren(props: Fields, at: number): PageNode[] {
    return props['children'] === undefined ? [] : nodesOf(props['children'], at)
  }

  function childrenOf(children: readonly Child[], scope: Scope): PageNode[] {
    return children.flatMap((child) => {
      if (child.kind !== 'text') return nodesOf(read(child, scope), child.at)
      spend(1 + child.text.length / 100, 0)
      return [child.text]
    })
  }

  function nodesOf(value: Value, at: number, level = 0): PageNode[] {
    spend(1, at)
    if (value == null || typeof value === 'boolean') return []
    if (value instanceof Shown) {
      spend(value.nodes.length, at)
      return value.nodes
    }
    if (level > 20) return fail('Lists are nested too deeply.', at)
    if (Array.isArray(value)) return value.flatMap((item) => nodesOf(item, at, level + 1))
    if (typeof value === 'string' || typeof value === 'number' || value instanceof Moment) {
      const text = textOf(value)
      if ((characters += text.length) > pageLimits.characters) fail('The page has too much text.', at)
      return text === '' ? [] : [text]
    }
    if (isFields(value)) return fail('An object cannot be shown. Write one of its fields, for example {item.name}.', at)
    return fail('A function cannot be shown. Call it, or write the text itself.', at)
  }

  function spend(count: number, at: number): void {
    steps += count
    // Steps differ in cost, and a server that evaluates a page has other work.
    const isLate = ++spent % 16 === 0 && Date.now() - started > pageLimits.milliseconds
    if (steps > pageLimits.steps || isLate)
      fail('The page takes too many steps to compute. Write the result itself.', at)
  }

  function sized<Kind extends string | Value[]>(value: Kind, at: number): Kind {
    const most = typeof value === 'string' ? pageLimits.characters : pageLimits.items
    if (value.length > most) fail(`A text or list is too long. The limit is ${most}.`, at)
    return value
  }

  function fail(message: string, at: number): never {
    throw new JsxRefused(message, at)
  }
}
