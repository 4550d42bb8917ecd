package import Bluetooth
package import FoundationEssentials

/// A place in the record: a run and a time.
package struct RecordedAt: Hashable, Sendable {
  package var run: String
  /// The wall-clock time of the host that recorded it.
  package var at: Date

  package init(run: String, at: Date) {
    (self.run, self.at) = (run, at)
  }
}

/// A person's acceptance of a room as it is.
package struct Acceptance: Hashable, Sendable {
  package var reason: String
  /// The person responsible for it.
  package var by: String
  package var given: RecordedAt
  /// The device that the room had, or that the manifest named; nil if there was none.
  package var device: BluetoothAddress?
  /// When it ended, because the room was done or retired, or got another device; nil while it is valid.
  package var ended: RecordedAt?

  /// A valid acceptance.
  package init(reason: String, by: String, given: RecordedAt, device: BluetoothAddress? = nil) {
    (self.reason, self.by, self.given, self.device) = (reason, by, given, device)
  }
}

/// The retirement of a room.
package struct RoomRetirement: Hashable, Sendable {
  /// The reason that the operator gave.
  package var reason: String?
  package var recorded: RecordedAt

  package init(reason: String?, recorded: RecordedAt) {
    (self.reason, self.recorded) = (reason, recorded)
  }
}

/// A finding of a verification, on record.
package struct RecordedVerification: Hashable, Sendable {
  package var found: RoomVerified
  package var recorded: RecordedAt

  package init(_ found: RoomVerified, recorded: RecordedAt) {
    (self.found, self.recorded) = (found, recorded)
  }
}
