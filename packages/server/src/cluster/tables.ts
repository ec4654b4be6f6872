/** Tables of the cluster, next to those of the store. Times are milliseconds of the database's clock. */
export interface ClusterTables {
  node: {
    id: string
    url: string
    place: string
    /** JSON */
    labels: string
    version: string
    started_at: number
    until: number
    draining: number
  }
  session_lease: { session_id: string; node_id: string; fence: number }
}
