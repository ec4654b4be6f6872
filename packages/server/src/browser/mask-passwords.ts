import type { OutlineNode } from '@troupe/core'
import type { Page } from 'playwright-core'
import { fieldValues } from './in-page.ts'

const maxFrames = 20

/** Outlines show what fields hold; of passwords only that there is one. */
export async function maskPasswords(page: Page, nodes: readonly OutlineNode[]): Promise<OutlineNode[]> {
  const read = page
    .frames()
    .slice(0, maxFrames)
    .map((frame) =>
      frame
        .locator('input[type=password]')
        .evaluateAll(fieldValues)
        // A frame that is gone by then shows nothing either.
        .catch((): string[] => []),
    )
  const secrets = new Set((await Promise.all(read)).flat().filter((value) => value !== ''))
  return secrets.size === 0 ? [...nodes] : maskNodes(nodes, secrets)
}

function maskNodes(nodes: readonly OutlineNode[], secrets: ReadonlySet<string>): OutlineNode[] {
  return nodes.map((node) => {
    if (typeof node === 'string') return secrets.has(node) ? '••••' : node
    const { text, children } = node
    return {
      ...node,
      ...(text !== undefined && secrets.has(text) && { text: '••••' }),
      ...(children !== undefined && { children: maskNodes(children, secrets) }),
    }
  })
}
