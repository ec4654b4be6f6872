import { Closure, isFields, Moment, Native, numberOf, textOf, type Value } from './values.ts'

export function unaryValue(operator: string, value: Value): Value {
  if (operator === '!') return !value
  if (operator === '-') return -numberOf(value)
  if (operator === '+') return numberOf(value)
  if (operator === 'typeof') return value instanceof Closure || value instanceof Native ? 'function' : typeof value
  return undefined
}

/** Operators that need both values. */
export function binaryValue(operator: string, one: Value, other: Value): Value {
  if (operator === '+' && [one, other].some(isTextual)) return textOf(one) + textOf(other)
  const areTexts = typeof one === 'string' && typeof other === 'string'
  const [a, b] = areTexts ? [one, other] : [numberOf(one), numberOf(other)]
  switch (operator) {
    case '===':
      return one === other
    case '!==':
      return one !== other
    case '==':
      return isLooselyEqual(one, other)
    case '!=':
      return !isLooselyEqual(one, other)
    case '<':
      return a < b
    case '>':
      return a > b
    case '<=':
      return a <= b
    case '>=':
      return a >= b
    case 'in':
      return isFields(other) && Object.hasOwn(other, textOf(one))
    default:
      return arithmetic(operator, numberOf(one), numberOf(other))
  }
}

function isTextual(value: Value): boolean {
  return typeof value === 'string' || Array.isArray(value) || value instanceof Moment || isFields(value)
}

function isLooselyEqual(one: Value, other: Value): boolean {
  if (one === other || (one == null && other == null)) return true
  return one != null && other != null && typeof one !== typeof other && numberOf(one) === numberOf(other)
}

function arithmetic(operator: string, a: number, b: number): Value {
  switch (operator) {
    case '+':
      return a + b
    case '-':
      return a - b
    case '*':
      return a * b
    case '/':
      return a / b
    case '%':
      return a % b
    case '**':
      return a ** b
    default:
      return undefined
  }
}
