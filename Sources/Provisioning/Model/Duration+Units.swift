extension Duration {
  /// Whole microseconds, rounded down.
  public var inMicroseconds: Int64 {
    components.seconds * 1_000_000 + components.attoseconds / 1_000_000_000_000
  }

  /// Seconds as a number, to the microsecond: for records and reports.
  public var inSeconds: Double {
    Double(inMicroseconds) / 1_000_000
  }
}
