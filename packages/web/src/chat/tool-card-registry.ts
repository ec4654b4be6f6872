import type { ComponentType } from 'react'
import type { CardProps } from './tool-call.ts'
import { GenericCard } from './generic-card.tsx'

// The folder is the registry, the file name is the tool's: `cards/todo-write.tsx` shows `TodoWrite`.
const files = import.meta.glob<ComponentType<CardProps>>('../cards/*.tsx', { eager: true, import: 'default' })
const cards = new Map(
  Object.entries(files).map(([path, card]) => [
    toolKey(
      path
        .split('/')
        .at(-1)
        ?.replace(/\.tsx$/, '') ?? '',
    ),
    card,
  ]),
)

export function cardFor(toolName: string): ComponentType<CardProps> {
  return cards.get(toolKey(toolName)) ?? GenericCard
}

/** Whether a tool has a card of its own. */
export function hasCard(toolName: string): boolean {
  return cards.has(toolKey(toolName))
}

/** Names match ignoring case and separators, as they do for the model. */
function toolKey(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9]/g, '').toLowerCase()
}
