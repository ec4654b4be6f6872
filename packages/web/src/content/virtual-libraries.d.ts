/** See vite.config.ts. */
declare module 'virtual:mermaid' {
  const address: string
  export default address
}

declare module 'virtual:page-runtime' {
  const address: string
  export default address
}
