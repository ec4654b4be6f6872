import { findTool, getBuiltinTools, type Tool, type ToolContext, unwrapResult } from '@troupe/core'
import { newId } from '@troupe/protocol'
import type { BuiltInCommand } from './command.ts'

export const undo: BuiltInCommand = {
  name: 'undo',
  about: 'Restore files to their state before the last turn that changed them.',
  async run({ session, workspace, userMessageId }, context) {
    const tool = findTool('Undo', getBuiltinTools()) as Tool
    const frame = { kind: 'master', name: 'master', depth: 0, path: ['master'] } as const
    // Context for the tool. It asks for no approval and emits nothing.
    const call: Pick<ToolContext, 'state' | 'session' | 'workspace' | 'agent' | 'messageId' | 'run' | 'toolCallId'> = {
      state: context.state(session, workspace),
      session: { id: session.id },
      workspace,
      agent: { ...frame, path: [...frame.path] },
      messageId: userMessageId,
      run: { id: newId('run_'), attempt: 1, step: 0 },
      toolCallId: newId('call_'),
    }
    try {
      const { modelText } = unwrapResult(await tool.execute({ scope: 'turn' }, call as ToolContext))
      return { text: asList(modelText ?? '') }
    } catch (error) {
      return { text: (error as Error).message }
    }
  },
}

function asList(text: string): string {
  const lines = text.replace(' (read them again before you change them)', '').split('\n')
  return lines
    .map((line) => (line.startsWith('  ') ? `- \`${line.trim()}\`` : `\n${line}\n`))
    .join('\n')
    .trim()
}
