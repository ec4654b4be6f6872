import { useSessionStore } from '../chat/session-context.ts'
import { isNarrowForPanels } from '../panels/use-narrow.ts'
import { noticeError } from '../ui/notices.tsx'
import { useWorkspace } from '../workspace.ts'
import { mergeText } from './merge-text.ts'
import { readBranch } from './read-branch.ts'
import { forkPoint, type TreeIndex } from './tree-index.ts'

/** Shows the one branch and writes what came of the other into the composer, below what is being typed there. */
export function useMerge() {
  const { setDraft, showBranch, getState, panels } = useSessionStore()
  const { api } = useWorkspace()
  return async ({ tree, from, into }: { tree: TreeIndex; from: string; into: string }): Promise<void> => {
    try {
      const { fork, right } = forkPoint(tree, into, from)
      const branch = { leaf: from, count: right.length, fork: fork?.id }
      const text = mergeText(await readBranch(api, getState().sessionId, branch))
      if (getState().messages.at(-1)?.id !== into) await showBranch(into)
      const { draft } = getState()
      setDraft(draft.trim() === '' ? text : `${draft.trimEnd()}\n\n${text}`)
      if (isNarrowForPanels()) panels.hide()
      // The composer is drawn with the new text first.
      requestAnimationFrame(() => document.querySelector<HTMLElement>('.composer textarea')?.focus())
    } catch (error) {
      noticeError(error)
    }
  }
}
