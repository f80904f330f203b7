def points():
    return 1.0
