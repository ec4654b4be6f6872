import { iconName, iconNames } from '@troupe/protocol'
import * as React from 'react'
import * as iconData from '../icon-data.js'
import { createElement } from './elements.ts'
import { joinClasses, livePartNames, partOf } from './parts.ts'

type Props = Record<string, unknown> & { children?: React.ReactNode }

const shapes: Readonly<Record<string, { node: readonly (readonly [string, Record<string, string>])[] }>> = iconData

/** Names that a page can use without an import. */
export function shared(): Record<string, unknown> {
  const hooks: [string, unknown][] = Object.entries(React).filter(([name]) =>
    /^(?:use[A-Z]|memo$|forwardRef$|createContext$|Fragment$)/.test(name),
  )
  const components = livePartNames().map((name): [string, unknown] => [name, partOf(name)])
  const icons = [...iconNames].map((name): [string, unknown] => [name, iconOf(name)])
  return {
    React,
    ...Object.fromEntries(icons),
    ...Object.fromEntries(components),
    ...Object.fromEntries(hooks),
    Icon,
    motion,
    cn: joinClasses,
    clsx: joinClasses,
  }
}

/** A module that pages import. None is loaded: all are part of this script. */
export function moduleOf(name: string): unknown {
  if (name === 'react') return { __esModule: true, ...React, default: React }
  if (/lucide|icons?$/i.test(name)) return library(iconOf)
  if (/^(?:framer-motion|motion(?:\/react)?)$/.test(name))
    return { __esModule: true, motion, m: motion, AnimatePresence: React.Fragment, default: motion }
  if (/^(?:clsx|classnames|tailwind-merge)$|\/utils$/.test(name))
    return { __esModule: true, default: joinClasses, clsx: joinClasses, cn: joinClasses, twMerge: joinClasses }
  if (name === 'next/link') return { __esModule: true, default: tagOf('a') }
  if (name === 'next/image') return { __esModule: true, default: tagOf('img') }
  if (/recharts|\/components?\/|^@\//.test(name)) return library(partOf)
  if (name.endsWith('.css')) return {}
  throw new Error(`“${name}” is not available. Previews have React, icons and charts.`)
}

function library(find: (name: string) => unknown): object {
  return new Proxy({ __esModule: true } as Record<string, unknown>, {
    get: (own, name) => (typeof name === 'string' ? (own[name] ?? find(name)) : undefined),
  })
}

const icons = new Map<string, React.FC<Props>>()

function iconOf(given: string): React.FC<Props> {
  const name = iconName(given)
  const known = icons.get(name)
  if (known !== undefined) return known
  const made: React.FC<Props> = ({ size = 24, color = 'currentColor', children, ...props }) =>
    React.createElement(
      'svg',
      {
        xmlns: 'http://www.w3.org/2000/svg',
        viewBox: '0 0 24 24',
        width: size as number,
        height: size as number,
        fill: 'none',
        stroke: color as string,
        strokeWidth: 2,
        strokeLinecap: 'round',
        strokeLinejoin: 'round',
        ...(props['aria-label'] === undefined && { 'aria-hidden': true }),
        ...props,
      },
      ...(shapes[iconNames.has(name) ? name : 'Circle']?.node ?? []).map(([tag, { key, ...attributes }]) =>
        React.createElement(tag, { key, ...attributes }),
      ),
      children,
    )
  icons.set(name, made)
  return made
}

const Icon: React.FC<Props> = ({ name, ...props }) => {
  const pascal = String(name).replaceAll(/(?:^|[-_ ])(\w)/g, (_, letter: string) => letter.toUpperCase())
  return React.createElement(iconOf(pascal), props)
}

const moving = /^(?:initial|animate|exit|transition|variants|layout(?:Id)?|while[A-Z]\w*|drag\w*|viewport)$/

/** `motion.div` is the tag alone: nothing moves by itself. */
const motion = new Proxy({} as Record<string, React.FC<Props>>, {
  get: (known, tag) => (typeof tag === 'string' ? (known[tag] ??= tagOf(tag)) : undefined),
})

function tagOf(tag: string): React.FC<Props> {
  return ({ children, ...props }) =>
    createElement(
      tag as 'div',
      Object.fromEntries(Object.entries(props).filter(([name]) => !moving.test(name))),
      children,
    )
}
