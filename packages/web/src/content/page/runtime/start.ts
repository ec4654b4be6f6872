import * as React from 'react'
import * as ReactDom from 'react-dom'
import { createRoot } from 'react-dom/client'
import { compile } from './compile.ts'
import { createElement } from './elements.ts'
import { moduleOf, shared } from './modules.ts'

/**
 * Runs a page of JSX in its frame. This script is built on its own (`virtual:page-runtime`) and never runs in the
 * workspace's page. `fail` gets errors that leave the page blank.
 */
function start(source: string, root: HTMLElement, fail: (error: unknown) => void): void {
  let isMounted = false
  const mount = (container: Element) => {
    isMounted = true
    return createRoot(container, { onUncaughtError: fail })
  }
  const dom = { ...ReactDom, createRoot: mount, render: (node: React.ReactNode, at: Element) => mount(at).render(node) }
  for (const [name, value] of Object.entries({ ...shared(), ReactDOM: dom }))
    // Names of the browser win: `Map` is no icon here.
    if (!(name in globalThis)) Object.assign(globalThis, { [name]: value })
  const load = (name: string) =>
    /^react-dom(?:\/|$)/.test(name) ? { __esModule: true, ...dom, default: dom } : moduleOf(name)
  const exported: { default?: unknown } = {}
  const names = ['require', 'exports', 'createElement', 'Fragment']
  const values = [load, exported, createElement, React.Fragment]
  // The frame exists for this: it has no origin and no network.
  // oxlint-disable-next-line typescript/no-implied-eval
  const run = new Function(...names, compile(source)) as (...given: unknown[]) => void
  run(...values)
  if (isMounted) return
  const { default: page } = exported
  if (page === undefined) throw new Error('The page has no component. Write a function App that returns one element.')
  mount(root).render(typeof page === 'function' ? createElement(page as React.FC, null) : (page as React.ReactNode))
}

Object.assign(globalThis, { troupePage: { start } })
