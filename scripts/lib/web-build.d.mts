export function builtPage(options?: {
  sources?: Record<string, string>
  mode?: 'production' | 'development'
}): Promise<string>
