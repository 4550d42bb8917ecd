public import Bluetooth

/// What can go wrong with a sensor, to order.
public enum Fault: Hashable, Sendable {
  // MARK: On air

  /// Does not advertise at all.
  case silent
  /// Advertises, but no attempt to connect to it is ever answered.
  case neverAnswers
  /// Takes a second more for every answer (and ten for its table of services).
  case slow
  /// Connects, but the stack shows an old table, in which our service lacks a characteristic, until it is told to
  /// forget the sensor.
  case staleAttributes
  /// The link is lost in this stage.
  case drops(in: DropStage)

  // MARK: While being provisioned

  /// Never says `ready`; its status stays empty.
  case noReady
  /// Refuses subscriptions (the CCCD may not be written).
  case refusesSubscription
  /// Has a status `error:<text>` left from an earlier attempt when we connect, and keeps it until written to.
  case staleError(String)
  /// Answers a write to this characteristic with this ATT error.
  case rejectsWrite(to: BluetoothUUID, code: UInt8)
  /// Confirms the first write, then says `error:<text>`, and refuses to save.
  case errorAfterFirstWrite(String)

  // MARK: At SAVE and after it

  /// Answers `SAVE` with `error:<text>` and does not save.
  case errorOnSave(String)
  /// Does not take `SAVE` before it has an SSID.
  case savesOnlyWithSSID
  /// Saves and restarts, but never says `saved`.
  case noSaved
  /// Restarts on `SAVE` so fast that nothing is confirmed; whether it had saved by then is told here.
  case restartsBeforeConfirming(saved: Bool)
  /// Says `saved`, but comes back with this minor.
  case returnsWithMinor(UInt16)
  /// Says `saved` and is never heard again.
  case neverReturns

  // MARK: Always

  /// Older firmware, without the WiFi scan characteristic.
  case withoutWiFiScan

  /// Where a link is lost.
  public enum DropStage: Hashable, Sendable {
    /// While it is being made: the attempt fails.
    case connect
    /// While services are resolved.
    case discover
    /// When the status is subscribed to.
    case subscribe
    /// When the `n`th setting is written, counted from 1.
    case write(Int)
    /// When `SAVE` arrives, which is lost with the link.
    case save
  }
}

/// A fault, and how often it strikes.
public struct ScheduledFault: Hashable, Sendable {
  /// What goes wrong.
  public var fault: Fault
  /// In how many of the sensor's first connection attempts; nil: always. `silent` and
  /// `withoutWiFiScan` have nothing to do with attempts: they last as long as this many have not been made.
  public var attempts: Int?

  /// A fault that strikes always, or in the first `attempts` connection attempts only.
  public init(_ fault: Fault, attempts: Int? = nil) {
    self.fault = fault
    self.attempts = attempts
  }

  /// Whether it strikes in this attempt, counted from 1 (0: before any).
  func strikes(inAttempt attempt: Int) -> Bool {
    attempts.map { attempt <= $0 } ?? true
  }
}
