import { createWebFetch } from '../web/web-fetch-tool.ts'

export default createWebFetch()
