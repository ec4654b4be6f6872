import { lazy, memo, Suspense } from 'react'
import type { ComponentType } from 'react'
import { t } from '../texts/t.ts'

const load = () => import('./rich-parts.ts')

/** Parts of a message that are more than text. What draws them comes with the first of them, or when there is time. */
export const ToolPart = lazyPart(async () => (await load()).ToolPart)
export const DataPart = lazyPart(async () => (await load()).DataPart)
export const AgentNotice = lazyPart(async () => (await load()).AgentNotice)

/** Asks for them before they are needed, once the page has nothing better to do. */
export function preloadRichParts(): () => void {
  if (!('requestIdleCallback' in window)) return () => undefined
  let asked = 0
  // The messages are drawn first, which takes more than a frame.
  const timer = setTimeout(() => {
    asked = requestIdleCallback(() => void load().catch(() => undefined))
  }, 300)
  return () => {
    clearTimeout(timer)
    cancelIdleCallback(asked)
  }
}

function lazyPart<Props extends object>(find: () => Promise<ComponentType<Props>>): ComponentType<Props> {
  const Loaded = lazy(async () => {
    // Otherwise the server was away, or has a newer page: what is text can still be read.
    const Part = await find().catch(() => NotLoaded)
    return { default: Part as ComponentType<object> }
  })
  return memo(function LazyPart(props: Props) {
    return (
      <Suspense fallback={<div className="part-coming" />}>
        <Loaded {...props} />
      </Suspense>
    )
  }) as unknown as ComponentType<Props>
}

function NotLoaded() {
  return <p className="part-missing">{t.ui.notLoaded}</p>
}
