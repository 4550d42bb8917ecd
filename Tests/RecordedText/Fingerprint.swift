/// A short digest of what a program wrote: FNV-1a with 64 bits. It shows that something changed, and is no protection.
package struct Fingerprint: CustomStringConvertible {
  private var state: UInt64 = 0xCBF2_9CE4_8422_2325

  package init(_ bytes: some Sequence<UInt8> = []) { add(bytes) }

  package mutating func add(_ bytes: some Sequence<UInt8>) {
    for byte in bytes { state = (state ^ UInt64(byte)) &* 0x100_0000_01B3 }
  }

  package var description: String {
    let hex = String(state, radix: 16)
    return String(repeating: "0", count: 16 - hex.count) + hex
  }
}
