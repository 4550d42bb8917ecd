import CGcrypt
import Digest
import Hex

/// A number modulo another one, for arithmetic with keys of thousands of bits. Bytes are big-endian.
package final class Residue {
  /// The prime of 3072 bits of RFC 3526 (group 15) and RFC 5054.
  package static let prime3072: [UInt8] = {
    let digits = """
      FFFFFFFFFFFFFFFFC90FDAA22168C234C4C6628B80DC1CD129024E088A67CC74020BBEA63B139B22514A08798E3404DD\
      EF9519B3CD3A431B302B0A6DF25F14374FE1356D6D51C245E485B576625E7EC6F44C42E9A637ED6B0BFF5CB6F406B7ED\
      EE386BFB5A899FA5AE9F24117C4B1FE649286651ECE45B3DC2007CB8A163BF0598DA48361C55D39A69163FA8FD24CF5F\
      83655D23DCA3AD961C62F356208552BB9ED529077096966D670C354E4ABC9804F1746C08CA18217C32905E462E36CE3B\
      E39E772C180E86039B2783A2EC07A28FB5C55DF06F4C52C9DE2BCBF6955817183995497CEA956AE515D2261898FA0510\
      15728E5A8AAAC42DAD33170D04507A33A85521ABDF1CBA64ECFB850458DBEF0A8AEA71575D060C7DB3970F85A6E1E4C7\
      ABF5AE8CDB0933D71E8C94E04A25619DCEE3D2261AD2EE6BF12FFA06D98A0864D87602733EC86A64521F2B18177B200C\
      BBE117577A615D6C770988C0BAD946E208E24FA074E5AB3143DB5BFCE0FD108E4B82D120A93AD2CAFFFFFFFFFFFFFFFF
      """
    guard let bytes = [UInt8](hex: digits), bytes.count == 384 else { preconditionFailure("no prime") }
    return bytes
  }()

  private let value: gcry_mpi_t?
  private let modulus: gcry_mpi_t?

  /// The number of these bytes, reduced.
  package convenience init(_ bytes: [UInt8], modulo modulus: [UInt8]) {
    Library.initialise()
    let modulus = Self.number(modulus)
    let value = Self.number(bytes)
    gcry_mpi_mod(value, value, modulus)
    self.init(value, modulus)
  }

  /// Takes both.
  private init(_ value: gcry_mpi_t?, _ modulus: gcry_mpi_t?) { (self.value, self.modulus) = (value, modulus) }

  deinit {
    gcry_mpi_release(value)
    gcry_mpi_release(modulus)
  }

  private static func number(_ bytes: [UInt8]) -> gcry_mpi_t? {
    var number: gcry_mpi_t?
    Library.check(gcry_mpi_scan(&number, GCRYMPI_FMT_USG, bytes, bytes.count, nil))
    return number
  }

  private func result(_ compute: (_ result: gcry_mpi_t?) -> Void) -> Residue {
    let result = gcry_mpi_new(0)
    compute(result)
    return Residue(result, gcry_mpi_copy(modulus))
  }

  package var isZero: Bool { gcry_mpi_cmp_ui(value, 0) == 0 }

  /// The bytes without leading zeros; none for 0.
  package var bytes: [UInt8] {
    var bytes = [UInt8](repeating: 0, count: Int(gcry_mpi_get_nbits(value) + 7) / 8)
    let capacity = bytes.count
    var length = 0
    if capacity > 0 { Library.check(gcry_mpi_print(GCRYMPI_FMT_USG, &bytes, capacity, &length, value)) }
    return bytes
  }

  /// - Parameter exponent: A number of any size.
  package func power(_ exponent: [UInt8]) -> Residue {
    let exponent = Self.number(exponent)
    defer { gcry_mpi_release(exponent) }
    return result { gcry_mpi_powm($0, value, exponent, modulus) }
  }

  package static func * (a: Residue, b: Residue) -> Residue {
    a.result { gcry_mpi_mulm($0, a.value, b.value, a.modulus) }
  }

  package static func + (a: Residue, b: Residue) -> Residue {
    a.result { gcry_mpi_addm($0, a.value, b.value, a.modulus) }
  }

  package static func - (a: Residue, b: Residue) -> Residue {
    a.result { gcry_mpi_subm($0, a.value, b.value, a.modulus) }
  }
}
