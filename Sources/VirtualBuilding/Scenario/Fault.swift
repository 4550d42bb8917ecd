public import Bluetooth

/// What can go wrong with a sensor, to order: with every one, with a Robo Sensor, and with those of other families
/// (`own`).
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

  /// Answers a write to this characteristic with this ATT error.
  case rejectsWrite(to: BluetoothUUID, code: UInt8)
  /// One that its family knows, and describes in its own file.
  case own(FamilyFault)

  // MARK: A Robo Sensor's while being provisioned

  /// Never says `ready`; its status stays empty.
  case noReady
  /// Refuses subscriptions (the CCCD may not be written).
  case refusesSubscription
  /// Has a status `error:<text>` left from an earlier attempt when we connect, and keeps it until written to.
  case staleError(String)
  /// Has a status `error:<text>` left from an earlier attempt when we connect, and keeps it until it saves, or restarts.
  case lastingError(String)
  /// Confirms the first write, then says `error:<text>`, and refuses to save.
  case errorAfterFirstWrite(String)

  // MARK: A Robo Sensor's at SAVE and after it

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
  /// Saves, and its beacon comes from this address afterwards. A firmware that changes its address looks so, and a
  /// sensor that falls silent while a stranger has its minor on air: no host can tell these apart.
  case returnsFrom(BluetoothAddress)
  /// Answers `SAVE` with `error:<text>`, does not save and falls silent; afterwards a stranger at this address has on
  /// air the minor that was written.
  case refusesForStranger(String, BluetoothAddress)

  // MARK: A Robo Sensor's always

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
    /// When the `n`th setting is written, counted from 1, which is lost with the link.
    case write(Int)
    /// The same, but the device has taken the setting: what is lost is the confirmation.
    case confirm(Int)
    /// When `SAVE` arrives, which is lost with the link.
    case save

    /// The stages by their names in scenarios.
    public enum Name: String, Sendable {
      /// While it is being made.
      case connect
      /// While services are resolved.
      case discover
      /// When the status is subscribed to.
      case subscribe
      /// Before a setting is taken.
      case write
      /// After a setting was taken.
      case confirm
      /// When `SAVE` arrives.
      case save

      /// The stage; the number matters to writes only.
      func numbered(_ number: Int) -> Fault.DropStage {
        switch self {
        case .connect: .connect
        case .discover: .discover
        case .subscribe: .subscribe
        case .write: .write(number)
        case .confirm: .confirm(number)
        case .save: .save
        }
      }
    }
  }
}

/// A fault that only devices of one family can have.
public struct FamilyFault: Hashable, Sendable {
  /// Its name in scenarios.
  public var name: String
  /// The characteristic that it concerns, if it concerns one.
  public var characteristic: BluetoothUUID?

  /// A fault of a family's own.
  public init(_ name: String, _ characteristic: BluetoothUUID? = nil) {
    self.name = name
    self.characteristic = characteristic
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
