import type { OutlineNode } from '@troupe/core'
import type { Page } from 'playwright-core'
import { valuesOf } from './in-page.ts'

const mostFrames = 20

/** Outlines show what fields hold; of passwords only that there is one. */
export async function maskPasswords(page: Page, nodes: readonly OutlineNode[]): Promise<OutlineNode[]> {
  const read = page
    .frames()
    .slice(0, mostFrames)
    .map((frame) =>
      frame
        .locator('input[type=password]')
        .evaluateAll(valuesOf)
        // A frame that is gone by then shows nothing either.
        .catch((): string[] => []),
    )
  const secrets = new Set((await Promise.all(read)).flat().filter((value) => value !== ''))
  return secrets.size === 0 ? [...nodes] : masked(nodes, secrets)
}

function masked(nodes: readonly OutlineNode[], secrets: ReadonlySet<string>): OutlineNode[] {
  return nodes.map((node) => {
    if (typeof node === 'string') return secrets.has(node) ? '••••' : node
    const { text, children } = node
    return {
      ...node,
      ...(text !== undefined && secrets.has(text) && { text: '••••' }),
      ...(children !== undefined && { children: masked(children, secrets) }),
    }
  })
}
