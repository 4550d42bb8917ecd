import CGcrypt
import Digest

/// The X25519 function (RFC 7748 5): keys are 32 bytes.
package enum X25519 {
  package static let keyLength = 32
  private static let base: [UInt8] = [9] + [UInt8](repeating: 0, count: 31)

  /// The public key of a private key: any 32 random bytes.
  package static func publicKey(of privateKey: [UInt8]) -> [UInt8] {
    guard let key = multiply(privateKey, base) else { preconditionFailure("the base point is on the curve") }
    return key
  }

  /// The secret that both sides compute; nil for a public key that gives no secret (RFC 7748 6.1).
  package static func sharedSecret(_ privateKey: [UInt8], _ publicKey: [UInt8]) -> [UInt8]? {
    guard publicKey.count == keyLength, let secret = multiply(privateKey, publicKey),
      secret.contains(where: { $0 != 0 })
    else { return nil }
    return secret
  }

  private static func multiply(_ scalar: [UInt8], _ point: [UInt8]) -> [UInt8]? {
    precondition(scalar.count == keyLength, "a private key of X25519 has 32 bytes")
    Library.initialise()
    var result = [UInt8](repeating: 0, count: keyLength)
    let error = gcry_ecc_mul_point(Int32(GCRY_ECC_CURVE25519.rawValue), &result, scalar, point)
    return error == 0 ? result : nil
  }
}
