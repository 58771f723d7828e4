import { DeskhandError, schemaProblem } from '@deskhand/core/errors'
import { toExecutionResult } from '../model/execution.ts'
import type { AvisPort } from './port.ts'
import type { HardwareStatus, ResourceAwarenessService } from './resources.ts'
import { AIPermissionSet, type ExecutionRequest, type ExecutionResult } from './types.ts'

/** All of it, or without the permission only that there is a machine. */
export type SimHardwareStatus = { available: true; details: HardwareStatus | null } | { available: false; details: null }

export interface ControlOptions {
  port: AvisPort
  /** The configuration that permissions come from; asked again with every refresh. */
  permissions(): unknown
  resources: ResourceAwarenessService
}

/** S2 §3's AISimulationControlService: what the agent may do beside input, and the code it runs. */
export class AISimulationControlService {
  readonly #options: ControlOptions
  #permissions: AIPermissionSet

  constructor(options: ControlOptions) {
    this.#options = options
    this.#permissions = readPermissions(options)
  }

  get_current_ai_permissions(): AIPermissionSet {
    return { ...this.#permissions }
  }

  refresh_permissions(): AIPermissionSet {
    this.#permissions = readPermissions(this.#options)
    return this.get_current_ai_permissions()
  }

  async get_current_hardware_status(): Promise<SimHardwareStatus> {
    try {
      const details = await this.#options.resources.read()
      return { available: true, details: this.#permissions.can_read_sim_hw_status ? details : null }
    } catch {
      return { available: false, details: null }
    }
  }

  /** Runs code through the session, when both the request's and the present permissions allow it. */
  async execute_ai_code(request: ExecutionRequest): Promise<ExecutionResult> {
    const { request_id, code_to_execute, permissions_context } = request
    if (!permissions_context.can_execute_code || !this.#permissions.can_execute_code) {
      return toExecutionResult(request_id, { code: 'DENIED', message: 'can_execute_code is false; nothing was run.' })
    }
    const result = await this.#options.port.perform('code', { code: code_to_execute })
    return toExecutionResult(request_id, result.status === 'success' ? result.data : (result.error ?? result))
  }
}

function readPermissions(options: ControlOptions): AIPermissionSet {
  const read = AIPermissionSet.safeParse(options.permissions())
  if (read.success) return read.data
  throw new DeskhandError('BAD_CONFIG', `The permissions of the simulation: ${schemaProblem(read.error, 'all')}`)
}
