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
  package var subject: Subject
  /// When it ended, because the room was done or retired, or got another device; nil while it is valid.
  package var ended: RecordedAt?

  /// What was accepted: a room with this device.
  package enum Subject: Hashable, Sendable {
    /// The device on record, or that the manifest named.
    case device(BluetoothAddress)
    /// The manifest named none.
    case noDevice
    /// No manifest was there: the next one shows it.
    case unknown
  }

  /// A valid acceptance.
  package init(reason: String, by: String, given: RecordedAt, subject: Subject = .unknown) {
    (self.reason, self.by, self.given, self.subject) = (reason, by, given, subject)
  }

  /// Whether it is about the room with this device; nil where a manifest names none.
  package func covers(_ device: BluetoothAddress?) -> Bool {
    switch subject {
    case .device(let accepted): device == nil || device == accepted
    case .noDevice: device == nil
    case .unknown: true
    }
  }
}

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
