import { findComponent, readAttribute } from './ui-components.ts'

/** A page or form that a model built of our components: names and values only, nothing in it can act. */
export type UiNode = string | UiElement

export interface UiElement {
  type: string
  attributes: Readonly<Record<string, UiValue>>
  children: readonly UiNode[]
}

export type UiValue =
  | string
  | number
  | boolean
  | readonly string[]
  | readonly (readonly string[])[]
  | readonly { value: string; label: string }[]

/** How JsonRender is given a tree: elements by their ids, one of which is the root. */
export interface UiTree {
  root: string
  elements: Readonly<Record<string, UiTreeElement>>
}

export interface UiTreeElement {
  type: string
  props?: Readonly<Record<string, unknown>> | undefined
  /** Ids of other elements; what is no id is text. */
  children?: readonly string[] | undefined
}

export const uiLimits = { depth: 30, elements: 2000, characters: 200_000 }

/** The tree as elements inside each other, or what is wrong with it. `partial`: what has not arrived yet is left out. */
export function readUiTree(tree: UiTree, { partial = false } = {}): { root: UiElement } | { problem: string } {
  const used = new Set<string>()
  const problems: string[] = []
  const root = element(tree.root, 0)
  if (problems.length > 0) return { problem: problems[0] as string }
  if (root === undefined)
    return { problem: `There is no element "${tree.root.slice(0, 60)}", which is to be the root.` }
  const lost = Object.keys(tree.elements).find((id) => !used.has(id))
  if (lost !== undefined && !partial)
    return { problem: `Nothing holds the element "${lost.slice(0, 60)}". Name it among the children of another one.` }
  return { root }

  function element(id: string, depth: number): UiElement | undefined {
    const given = Object.hasOwn(tree.elements, id) ? tree.elements[id] : undefined
    if (given === undefined) return undefined
    if (used.has(id)) return fail(`The element "${id}" is used twice. Each has one place.`)
    used.add(id)
    if (depth > uiLimits.depth) return fail(`Elements lie more than ${uiLimits.depth} deep in each other.`)
    if (used.size > uiLimits.elements) return fail(`There are more than ${uiLimits.elements} elements.`)
    const component = findComponent(given.type)
    if (component === undefined) return partial ? undefined : fail(unknownComponent(given.type))
    const attributes: Record<string, UiValue> = {}
    for (const [name, value] of Object.entries(given.props ?? {})) {
      if (value === undefined || value === null) continue
      const read = readAttribute(given.type, name, value)
      if (read.problem === undefined) attributes[name] = read.value
      else if (!partial) return fail(`Element "${id}": ${read.problem}`)
    }
    const missing = component.needs?.find((name) => attributes[name] === undefined)
    if (missing !== undefined) return partial ? undefined : fail(`Element "${id}": <${given.type}> needs "${missing}".`)
    const names = given.children ?? []
    if (component.children === 'none' && names.length > 0)
      return fail(`Element "${id}": <${given.type}> has no children.`)
    const children = names.flatMap((child): UiNode[] => {
      const inner = element(child, depth + 1)
      if (inner !== undefined) return [inner]
      return Object.hasOwn(tree.elements, child) ? [] : [child]
    })
    return { type: given.type, attributes, children }
  }

  function fail(problem: string): undefined {
    problems.push(problem)
    return undefined
  }
}

export function unknownComponent(type: string): string {
  return `There is no component <${type.slice(0, 60)}>.`
}

/** Every element of the tree, the root first. */
export function elementsIn(root: UiElement): UiElement[] {
  return [root, ...root.children.flatMap((child) => (typeof child === 'string' ? [] : elementsIn(child)))]
}
