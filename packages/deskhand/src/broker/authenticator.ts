import type { Principal } from '@deskhand/core/model'

/** Turns a credential into a principal; undefined where it is not known. What a client says of itself does not count. */
export interface Authenticator {
  principal(credential: string): Principal | undefined | Promise<Principal | undefined>
}
