/// How to pair with a peripheral that demands an encrypted link.
package struct Pairing: Sendable {
  /// What the two sides prove to each other while they agree on a key.
  package enum Method: Hashable, Sendable {
    /// Nothing: whoever listens or interferes at that moment learns the key.
    case justWorks
    /// That both know the passkey.
    case passkey(Passkey)
  }

  package var method: Method
  /// Whether a bond that the stack has with the peripheral is known to be protected by its passkey.
  package var trustsBond: Bool
  /// Called before the stack makes a bond, and not if it has one already. Nothing is paired if it throws.
  package var intent: @Sendable () async throws(CentralError) -> Void

  package init(
    _ method: Method, trustsBond: Bool = false,
    intent: @escaping @Sendable () async throws(CentralError) -> Void = {}
  ) {
    (self.method, self.trustsBond, self.intent) = (method, trustsBond, intent)
  }

  /// Whether a link that a bond of the stack encrypts is as secure as the method makes it. Anybody may have made that bond,
  /// in any way.
  package var acceptsBond: Bool { method == .justWorks || trustsBond }
}

/// The six digits that a peripheral has on its label. They show nowhere.
package struct Passkey: Hashable, Sendable {
  /// 0 to 999,999 (Bluetooth Core, Vol 3 Part H 2.3.5.1).
  package let number: UInt32

  /// Returns nil unless the text is six digits, of which the first may be zero.
  package init?(_ text: String) {
    let digits = text.utf8.map { Int($0) - 0x30 }
    guard digits.count == 6, digits.allSatisfy((0...9).contains) else { return nil }
    number = digits.reduce(0) { $0 * 10 + UInt32($1) }
  }
}

extension Passkey: CustomStringConvertible, CustomReflectable {
  package var description: String { "••••••" }
  package var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}
