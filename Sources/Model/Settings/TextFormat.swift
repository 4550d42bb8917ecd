/// The form that a text setting must have.
package enum TextFormat: Hashable, Sendable, CaseIterable {
  /// An IPv4 address: `192.168.1.1`.
  case address
  /// A host's IPv4 address with the length of its network's prefix, 8…30: `192.168.1.20/24`.
  case interface
  /// A host name or IPv4 address, a colon, and a port: `mqtt.local:1883`.
  case server

  package var example: String {
    switch self {
    case .address: "192.168.1.1"
    case .interface: "192.168.1.20/24"
    case .server: "mqtt.local:1883"
    }
  }

  package func isMet(by text: String) -> Bool {
    switch self {
    case .address: return IPv4Address(text)?.canBeHost == true
    case .interface: return IPv4Interface(text) != nil
    case .server:
      let parts = text.split(separator: ":", omittingEmptySubsequences: false)
      guard parts.count == 2, !parts[0].isEmpty, Int(parts[1], in: 1...65535) != nil else { return false }
      return parts[0].utf8.allSatisfy { byte in
        let letter = UnicodeScalar(byte)
        return letter.properties.isAlphabetic && letter.isASCII || ("0"..."9").contains(letter)
          || letter == "." || letter == "-"
      }
    }
  }
}

/// An IPv4 address in decimal, without leading zeros.
package struct IPv4Address: Hashable, Sendable, CustomStringConvertible {
  package let rawValue: UInt32

  package init(rawValue: UInt32) { self.rawValue = rawValue }

  package init?(_ text: some StringProtocol) {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 4 else { return nil }
    var value: UInt32 = 0
    for part in parts {
      guard part.utf8.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains),
        let number = UInt8(part), part == "\(number)"
      else { return nil }
      value = value << 8 | UInt32(number)
    }
    rawValue = value
  }

  /// Whether a host can have it: it is none of this network, this host, multicast or reserved.
  package var canBeHost: Bool {
    let first = rawValue >> 24
    return first != 0 && first != 127 && first < 224
  }

  package var description: String {
    [24, 16, 8, 0].map { String(rawValue >> $0 & 0xFF) }.joined(separator: ".")
  }
}

/// A host's address in its network: `192.168.1.20/24`.
package struct IPv4Interface: Hashable, Sendable {
  package let address: IPv4Address
  package let mask: IPv4Address

  package init?(_ text: String) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, let address = IPv4Address(parts[0]), address.canBeHost,
      let length = Int(parts[1], in: 8...30), parts[1] == "\(length)"
    else { return nil }
    let mask = UInt32.max << UInt32(32 - length)
    // The first is the network itself, the last its broadcast.
    let host = address.rawValue & ~mask
    guard host != 0, host != ~mask else { return nil }
    (self.address, self.mask) = (address, IPv4Address(rawValue: mask))
  }
}
