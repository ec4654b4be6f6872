import path from 'node:path'
import type { Sandbox } from '@troupe/core'
import { createPictureEditor, openDocuments } from '@troupe/documents'
import { openBrowsers } from '../browser/open-browsers.ts'
import { createPrinter } from '../browser/print-page.ts'
import type { ConfigFile } from '../config/config.ts'
import { openDocumentPages } from '../files/document-pages.ts'
import { openFiles } from '../files/file-routes.ts'
import type { TeamIsolation } from '../isolation/open-isolation.ts'
import { openLsp } from '../lsp/open-lsp.ts'
import { openMedia } from '../media/open-media.ts'
import { createTranscription } from '../media/transcription.ts'
import { openQueries } from '../query/open-queries.ts'
import type { Logger } from '../util/logger.ts'

/** Opens the services that only tools and panels use: browsers, documents, language servers, databases, media. */
export function openToolServices(options: {
  home: string
  env: NodeJS.ProcessEnv
  config: Pick<ConfigFile, 'get'>
  /** The server's address, once it listens. */
  origin: () => string
  logger: Logger
  /** Closes the service with the server. */
  closing: <T extends { close(): unknown }>(service: T) => T
  sandbox: Sandbox | undefined
  isolation: TeamIsolation | undefined
  allowsHost: ((host: string) => boolean) | undefined
  media: Parameters<typeof openMedia>[0] & Parameters<typeof createTranscription>[0]
  isTeam: boolean
}) {
  const { home, env, config, origin, logger, closing, sandbox, isolation, media } = options
  const userOf = isolation?.userOf.bind(isolation)
  const browsers = closing(
    openBrowsers({
      home,
      env,
      settings: () => config.get().browser ?? {},
      allowsHost: options.allowsHost,
      ownPort: () => Number(new URL(origin()).port || 80),
    }),
  )
  return {
    browsers,
    media: closing(openMedia(media)),
    transcription: createTranscription(media),
    lsp: closing(
      openLsp({
        env,
        logger,
        settings: () => config.get().languageServers ?? {},
        sandbox,
        sandboxOf: isolation && ((folder) => isolation.ofFolder(folder).sandbox),
      }),
    ),
    files: closing(openFiles(home)),
    documents: closing(openDocuments({ userOf })),
    documentPages: closing(openDocumentPages({ sandbox })),
    pictures: createPictureEditor({ userOf }),
    printer: createPrinter({
      folder: path.join(home, 'print'),
      executable: browsers.chromium,
      isolation: isolation?.service(),
    }),
    queries: closing(
      openQueries({
        connections: () => config.get().connections ?? {},
        hasOwnData: !options.isTeam,
        home,
        sandbox,
      }),
    ),
  }
}
