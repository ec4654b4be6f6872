export interface Program {
  folder: string
  main: string
  entries: Record<string, string>
}
export function programFolder(root: string): string
export function currentProgram(root: string): Program | undefined
