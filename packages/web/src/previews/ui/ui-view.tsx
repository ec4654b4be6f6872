import { memo } from 'react'
import type { ReactNode } from 'react'
import type { UiElement, UiNode } from '@troupe/core/protocol'
import { VisibleText } from '../../ui/visible-text.tsx'
import { parts } from './parts.tsx'
import './ui-view.css'

/** A page that a model built of our components. Its words are shown as words; nothing else of it reaches the page. */
export const UiView = memo(function UiView({ root }: { root: UiElement }) {
  return <div className="made">{shown(root, 0)}</div>
})

function shown(node: UiNode, key: number): ReactNode {
  if (typeof node === 'string') return <VisibleText key={key} text={node} />
  const Part = Object.hasOwn(parts, node.type) ? parts[node.type] : undefined
  if (Part === undefined) return null
  return (
    <Part key={key} attributes={node.attributes} text={wordsIn(node)}>
      {node.children.length > 0 ? node.children.map(shown) : null}
    </Part>
  )
}

function wordsIn({ children }: UiElement): string {
  return children.map((child) => (typeof child === 'string' ? child : wordsIn(child))).join('')
}
