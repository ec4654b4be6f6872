import type { Panels } from '../panels/panels.ts'
import { t } from '../texts/t.ts'

/** Shows the map beside the chat; with a message, that one is marked in it. */
export function openBranchMap(panels: Panels, messageId?: string): void {
  panels.open({
    kind: 'branches',
    key: 'map',
    title: t.branches.title,
    data: messageId === undefined ? {} : { messageId },
  })
}
