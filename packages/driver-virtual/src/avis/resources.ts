import { statfs } from 'node:fs/promises'
import { cpus, freemem, loadavg, totalmem } from 'node:os'

/** What the simulated or the real machine has to offer. */
export interface HardwareStatus {
  source: 'simulated' | 'machine'
  cpu_cores: number
  /** Work waiting for each core, averaged over a minute; above 1 the machine is behind. */
  cpu_load_ratio: number
  memory_total_mb: number
  memory_free_mb: number
  disk_total_mb: number
  disk_free_mb: number
}

/** S2 §3's ResourceAwarenessService. */
export interface ResourceAwarenessService {
  read(): Promise<HardwareStatus>
}

const MODEST: Omit<HardwareStatus, 'source'> = {
  cpu_cores: 4,
  cpu_load_ratio: 0.1,
  memory_total_mb: 8192,
  memory_free_mb: 4096,
  disk_total_mb: 262_144,
  disk_free_mb: 131_072,
}

/** A machine that is always the same, or as the caller describes it. */
export function simulatedResources(profile: Partial<Omit<HardwareStatus, 'source'>> = {}): ResourceAwarenessService {
  return { read: async () => ({ source: 'simulated', ...MODEST, ...profile }) }
}

/** This machine. */
export function machineResources(folder = '/'): ResourceAwarenessService {
  return {
    async read() {
      const disk = await statfs(folder)
      const cores = Math.max(1, cpus().length)
      return {
        source: 'machine',
        cpu_cores: cores,
        cpu_load_ratio: Math.round(((loadavg()[0] ?? 0) / cores) * 100) / 100,
        memory_total_mb: megabytes(totalmem()),
        memory_free_mb: megabytes(freemem()),
        disk_total_mb: megabytes(disk.blocks * disk.bsize),
        disk_free_mb: megabytes(disk.bavail * disk.bsize),
      }
    },
  }
}

const megabytes = (bytes: number): number => Math.round(bytes / 1_048_576)
