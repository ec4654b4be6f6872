import { z } from 'zod'
import { checkTool, defineTool } from '../tool.ts'

/** A tool that asks the person, whatever the rules say, and changes nothing. */
export const testApproval = checkTool(
  defineTool({
    description:
      'Asks the person for an approval and changes nothing. Returns what the approval carried. For trying out approvals.',
    input: z.object({
      message: z.string().describe('What the person is asked').optional(),
      payload: z.unknown().describe('Anything to show beside the question').optional(),
    }),
    readOnly: true,
    needsApproval: 'always',
    group: 'system',
    title: () => 'Test approval',
    permission: ({ message, payload }) => ({
      title: message ?? 'Approve a test?',
      summary: 'Only a test: nothing is read, written or sent.',
      ...(payload !== undefined && { content: payload }),
    }),
    execute({ message, payload }, ctx) {
      return { approved: true, message: message ?? null, payload: payload ?? null, data: ctx.approval ?? null }
    },
    display: ({ message, data }) => ({
      title: 'Approved',
      ...(message !== null && { summary: message }),
      ...(data !== null && { content: data }),
    }),
  }),
  'test-approval',
)
