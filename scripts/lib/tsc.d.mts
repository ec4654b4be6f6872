interface Options {
  cwd?: string
  env?: NodeJS.ProcessEnv
}

export function tsc(node: string, args: readonly string[], options?: Options): Promise<{ code: number; output: string }>
