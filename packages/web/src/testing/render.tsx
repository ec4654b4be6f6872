import { Tooltip } from 'radix-ui'
import { act, type ReactNode } from 'react'
import { createRoot } from 'react-dom/client'
import { expect, onTestFinished, vi } from 'vitest'
import { createStore } from 'zustand/vanilla'
import { DisclosureContext, SessionContext } from '../chat/session/session-context.ts'
import type { SessionState } from '../chat/session/session-state.ts'
import { type Workspace, WorkspaceContext } from '../workspace/workspace.ts'
import type { Folders, FoldersState } from '../workspace/workspace-types.ts'
import { createFakeServer } from './fake-server.ts'
import { openApp } from './open-app.ts'

interface RenderOptions {
  /** State of the chat around the component. */
  chat?: Partial<SessionState>
  /** State of the app around the component. */
  app?: Partial<ReturnType<ReturnType<typeof openApp>['app']['getState']>>
  /** Other parts of the workspace. */
  workspace?: Partial<Workspace>
  /** Responses by `METHOD /path`. */
  answers?: Parameters<typeof openApp>[0]
}

const noFolders = {
  ...createStore<FoldersState>(() => ({ current: null, recent: null, roots: [], showsAll: false })),
  refresh: () => Promise.resolve(),
}

/** Mounts a component in the DOM with a chat and a workspace around it. For tests in `*.test.tsx`. */
export async function render(shown: ReactNode, options: RenderOptions = {}) {
  Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true })
  const complaints = vi.spyOn(console, 'error')
  // React's warnings. The DOM of these tests does not know the element `search`.
  onTestFinished(() => expect(complaints.mock.calls.filter(([, word]) => word !== 'search')).toEqual([]))
  const server = createFakeServer()
  const session = server.openSession('new')
  if (options.chat !== undefined) session.setState(options.chat)
  const { app, api, requests, errors } = openApp(options.answers ?? {}, 's1')
  if (options.app !== undefined) app.setState(options.app)
  const sentAsNew: string[] = []
  const workspace: Partial<Workspace> = {
    api,
    app,
    session: () => session,
    announce: () => undefined,
    sendAsNew: (text) => sentAsNew.push(text),
    folder: null,
    folders: noFolders as unknown as Folders,
    link: (path) => path,
    ...options.workspace,
  }
  const view = document.createElement('div')
  document.body.append(view)
  const root = createRoot(view)
  // Cards that a test opens stay closed in the next one.
  const opened = new Map<string, boolean>()
  onTestFinished(async () => {
    await act(async () => root.unmount())
    document.body.replaceChildren()
  })
  const draw = (element: ReactNode) =>
    act(async () =>
      root.render(
        <WorkspaceContext value={workspace as Workspace}>
          <Tooltip.Provider>
            <SessionContext value={session}>
              <DisclosureContext value={opened}>{element}</DisclosureContext>
            </SessionContext>
          </Tooltip.Provider>
        </WorkspaceContext>,
      ),
    )
  await draw(shown)
  return { view, draw, server, session, app, requests, errors, sentAsNew }
}

/** The element with this accessible name: its label, its `aria-label` or its text. */
export function named<Type extends HTMLElement = HTMLElement>(selector: string, name: string | RegExp): Type {
  const all = [...document.querySelectorAll<Type>(selector)]
  const found = all.find((element) => {
    const own = nameOf(element)
    return typeof name === 'string' ? own === name : name.test(own)
  })
  if (found === undefined) throw new Error(`no ${selector} is named ${name}, only: ${all.map(nameOf).join(' | ')}`)
  return found
}

export const button = (name: string | RegExp) => named<HTMLButtonElement>('button', name)
export const field = (name: string | RegExp) =>
  named<HTMLInputElement | HTMLTextAreaElement>('input, textarea, select', name)

function nameOf(element: HTMLElement): string {
  const label = element.id === '' ? null : document.querySelector(`label[for="${CSS.escape(element.id)}"]`)
  const around = [...(element.closest('label')?.childNodes ?? [])].filter((node) => !node.contains(element))
  const wrapped = around.map((node) => node.textContent).join('')
  const text =
    element.getAttribute('aria-label') ?? label?.textContent ?? (wrapped === '' ? element.textContent : wrapped)
  return text.trim()
}

export async function click(element: HTMLElement, options: MouseEventInit = {}): Promise<void> {
  await act(async () => {
    element.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true, ...options }))
    await settled()
  })
}

/** Replaces the value of a field, as a person who selects all and types. */
export async function type(element: HTMLElement, text: string): Promise<void> {
  await act(async () => {
    // React compares with the last value that it saw being set on the element itself.
    const { set } = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(element), 'value') ?? {}
    set?.call(element, text)
    element.dispatchEvent(new Event('input', { bubbles: true }))
    element.dispatchEvent(new Event('change', { bubbles: true }))
    await settled()
  })
}

export async function press(element: HTMLElement, key: string, options: KeyboardEventInit = {}): Promise<void> {
  await act(async () => {
    element.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true, ...options }))
    await settled()
  })
}

/** Runs inside `act` what is to change the component. */
export async function change(work: () => unknown): Promise<void> {
  await act(async () => {
    await work()
    await settled()
  })
}

/** Waits for something that the component does by itself, after a timer or a response. */
export async function eventually(isSo: () => boolean): Promise<void> {
  // The component updates by itself, so React must neither wait for `act` nor complain that it is missing.
  Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: false })
  try {
    await vi.waitFor(() => expect(isSo()).toBe(true), { timeout: 10_000, interval: 10 })
  } finally {
    Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true })
  }
  await change(() => undefined)
}

/** Lets pending promises and lazily loaded parts resolve. */
function settled(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve))
}
