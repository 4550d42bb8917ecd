package import Bluetooth

/// An adapter as the operator refers to it: by its present name, `hci0`, or by its address, which is stable; both with
/// the host of another computer, `floor-3/hci0`. A host alone means each of its adapters.
package struct AdapterReference: Hashable, Sendable, ExpressibleByStringLiteral {
  package let text: String

  package init(_ text: String) {
    self.text = text
  }

  package init(stringLiteral text: String) {
    self.init(text)
  }

  package func names(_ adapter: Adapter) -> Bool {
    text == adapter.name || AdapterID(text) == adapter.id
      || adapter.id.host?.text == text
  }
}

/// Another computer whose adapters are used through ssh.
package struct HostDescription: Hashable, Sendable {
  package var name: HostName
  /// The destination, as ssh(1) takes it.
  package var ssh: String
  /// The adapters to use, with the host; all when empty.
  package var adapters: [AdapterReference]
  /// The floors where it stands: other adapters leave their devices to its own, while one of these receives them.
  package var floors: [String]

  package init(
    _ name: HostName, ssh: String, adapters: [AdapterReference] = [], floors: [String] = []
  ) {
    (self.name, self.ssh, self.adapters, self.floors) = (name, ssh, adapters, floors)
  }

  /// Whether ssh takes a text as a destination, and as nothing else. ssh gives user and host to the shell of a `ProxyCommand`
  /// (%h, %r) and of `Match exec`, and only newer ones refuse what a shell would run (since OpenSSH 9.6).
  package static func isDestination(_ text: String) -> Bool {
    let parts = text.trimmingPrefix("ssh://").split(separator: "@", omittingEmptySubsequences: false)
    return text.utf8.count <= 255
      && parts.allSatisfy { $0.utf8.first.map { $0 != UInt8(ascii: "-") } ?? false }
      && text.utf8.allSatisfy { byte in
        UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte || UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte
          || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte || "-._@:/[]%+=".utf8.contains(byte)
      }
  }

  /// What a destination may be, for messages.
  package static let destinationRule =
    "it has letters, digits and - . _ @ : / [ ] % + =, so for anything else give it a `Host` in ~/.ssh/config and write that name"
}

extension AdapterReference {
  /// The host that it names; nil for an adapter of this computer.
  package var host: HostName? {
    HostName(String(text.prefix { $0 != "/" }))
  }
}

/// The manifest's description of an adapter.
package struct AdapterDescription: Hashable, Sendable {
  package var reference: AdapterReference
  /// The name in the manifest, by which rooms and options can refer to it.
  package var alias: String?
  /// The most links at once, 1…20.
  package var slots: Int?
  /// The location, as text.
  package var place: String?

  /// `lobby, Ground floor`; nil without name and place.
  package var title: String? {
    let parts = [alias, place].compactMap(\.self)
    return parts.isEmpty ? nil : parts.joined(separator: ", ")
  }

  package init(_ reference: AdapterReference, alias: String? = nil, slots: Int? = nil, place: String? = nil) {
    (self.reference, self.alias, self.slots, self.place) = (reference, alias, slots, place)
  }
}

extension [AdapterReference] {
  /// Whether an adapter is among those to use; all are when the list is empty.
  package func want(_ adapter: Adapter) -> Bool {
    isEmpty || contains { $0.names(adapter) }
  }
}
