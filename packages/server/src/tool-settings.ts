import type { ConfigFile } from './config.ts'

/** Only sections that belong to a tool: nobody reads keys of providers this way. */
export function toolSettings(config: ConfigFile, name: string): unknown {
  return name === 'search' ? config.get().search : undefined
}
