import { createPageParts, isChartPart, type PageElement, type PageNode, pagePartNames } from '@troupe/protocol'
import * as React from 'react'
import { styleObject } from './elements.ts'

type Props = Record<string, unknown> & { children?: React.ReactNode }

/** The component or chart with this name, with handlers that work. Undefined if there is none. */
export function partOf(name: string): React.FC<Props> | undefined {
  const own = Object.hasOwn(live, name) ? live[name] : undefined
  if (own !== undefined) return own
  if (name === 'ResponsiveContainer' || name === 'ChartContainer') return Container
  if (!pagePartNames.has(name)) return undefined
  const known = parts.get(name)
  if (known !== undefined) return known
  const made: React.FC<Props> = isChartPart(name) ? chart(name) : component(name)
  parts.set(name, made)
  names.set(made, name)
  return made
}

export const livePartNames = (): string[] => [
  ...pagePartNames,
  ...Object.keys(live),
  'ResponsiveContainer',
  'ChartContainer',
]

const parts = new Map<string, React.FC<Props>>()
const names = new Map<unknown, string>()

const Container: React.FC<Props> = ({ children }) => React.createElement('div', null, children)

function chart(name: string): React.FC<Props> {
  return (props) => {
    const make = createPageParts()
    const inside = (children: React.ReactNode): PageNode[] =>
      React.Children.toArray(children).flatMap((child) => {
        if (!React.isValidElement<Props>(child)) return []
        if (child.type === React.Fragment) return inside(child.props.children)
        const part = names.get(child.type)
        return part === undefined ? [] : make(part, child.props, inside(child.props.children))
      })
    return React.createElement(
      React.Fragment,
      null,
      ...make(name, props, inside(props.children)).map((node, index) => toElement(node, index)),
    )
  }
}

/** Names of properties that keep their value: the nodes hold text only. */
const kept = /^(?:on[A-Z]|ref$|value$|checked$|default[A-Z]|disabled$|readOnly$|autoFocus$)/

function component(name: string): React.FC<Props> {
  return (props) => {
    const children: PageNode[] =
      props.children === undefined ? [] : [{ tag: 'x-children', attributes: {}, children: [] }]
    const [node] = createPageParts()(name, props, children)
    if (node === undefined || typeof node === 'string') return node ?? null
    const takesValue = /^(?:input|textarea|select|button|option)$/.test(node.tag)
    const live = Object.fromEntries(
      Object.entries(props).filter(
        ([key]) => kept.test(key) && (takesValue || /^on(?!ValueChange|CheckedChange)|^ref$/.test(key)),
      ),
    )
    return toElement(node, 0, props.children, live)
  }
}

function toElement(node: PageNode, index: number, children?: React.ReactNode, live?: object): React.ReactNode {
  if (typeof node === 'string') return node
  if (node.tag === 'x-children') return React.createElement(React.Fragment, { key: index }, children)
  if (node.tag === 'x-part') return null
  const inside = node.children.map((child, at) => toElement(child, at, children))
  return React.createElement(node.tag, { key: index, ...attributesOf(node), ...live }, ...inside)
}

function attributesOf({ attributes }: PageElement): Record<string, unknown> {
  const { class: className, for: htmlFor, style, value, checked, ...others } = attributes
  const renamed = Object.entries(others).map(([name, given]): [string, unknown] => [
    /^(?:data|aria)-/.test(name) ? name : name.replaceAll(/-([a-z])/g, (_, letter: string) => letter.toUpperCase()),
    given,
  ])
  return {
    ...Object.fromEntries(renamed),
    ...(className !== undefined && { className }),
    ...(htmlFor !== undefined && { htmlFor }),
    ...(typeof style === 'string' && { style: styleObject(style) }),
    ...(value !== undefined && { defaultValue: value }),
    ...(checked !== undefined && { defaultChecked: true }),
  }
}

interface TabsState {
  value: unknown
  choose: (value: unknown) => void
}
const TabsContext = React.createContext<TabsState>({ value: undefined, choose: () => undefined })

type Change = ((value: unknown) => void) | undefined

function useChoice({ value, defaultValue, onValueChange }: Props): TabsState {
  const [own, setOwn] = React.useState(defaultValue)
  const choose = (next: unknown) => {
    setOwn(next)
    ;(onValueChange as Change)?.(next)
  }
  return { value: value ?? own, choose }
}

/** Components of shadcn/ui that do something by themselves. */
const live: Record<string, React.FC<Props>> = {
  Tabs: ({ children, className, ...props }) =>
    React.createElement(
      TabsContext,
      { value: useChoice(props) },
      React.createElement('div', { className: joinClasses('page-stack', className) }, children),
    ),
  TabsList: ({ children, className }) =>
    React.createElement('div', { role: 'tablist', className: joinClasses('page-row', className) }, children),
  TabsTrigger: ({ children, className, value, disabled }) => {
    const tabs = React.use(TabsContext)
    const isActive = tabs.value === value
    return React.createElement(
      'button',
      {
        type: 'button',
        role: 'tab',
        'aria-selected': isActive,
        'data-state': isActive ? 'active' : 'inactive',
        disabled: disabled === true,
        className: joinClasses('page-badge', isActive && 'page-tone-accent', className),
        onClick: () => tabs.choose(value),
      },
      children,
    )
  },
  TabsContent: ({ children, className, value }) =>
    React.use(TabsContext).value === value
      ? React.createElement('div', { role: 'tabpanel', className: joinClasses(className) }, children)
      : null,
  Checkbox: (props) => toggle(props, undefined),
  Switch: (props) => toggle(props, 'switch'),
  Slider: ({ value, defaultValue, onValueChange, className, ...props }) =>
    React.createElement('input', {
      ...props,
      type: 'range',
      className: joinClasses('page-slider', className),
      ...(Array.isArray(value) && { value: value[0] as number }),
      ...(Array.isArray(defaultValue) && { defaultValue: defaultValue[0] as number }),
      onChange: (event: React.ChangeEvent<HTMLInputElement>) =>
        (onValueChange as Change)?.([Number(event.target.value)]),
    }),
}

function toggle({ onCheckedChange, onChange, className, ...props }: Props, role: string | undefined) {
  return React.createElement('input', {
    ...props,
    type: 'checkbox',
    ...(role !== undefined && { role }),
    className: joinClasses(className),
    onChange: (event: React.ChangeEvent<HTMLInputElement>) => {
      ;(onChange as ((event: unknown) => void) | undefined)?.(event)
      ;(onCheckedChange as Change)?.(event.target.checked)
    },
  })
}

/** Class names as clsx and tailwind-merge join them. */
export function joinClasses(...given: unknown[]): string {
  return given
    .flatMap((one): string[] => {
      if (typeof one === 'string' || typeof one === 'number') return [String(one)]
      if (Array.isArray(one)) return [joinClasses(...(one as unknown[]))]
      if (typeof one !== 'object' || one === null) return []
      return Object.entries(one).flatMap(([name, isOn]) => (isOn ? [name] : []))
    })
    .filter(Boolean)
    .join(' ')
}
